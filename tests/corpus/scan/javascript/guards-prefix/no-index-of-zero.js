const fs = require('fs');
const path = require('path');

const file = path.resolve('/data', process.argv[2]);
if (file.indexOf('/data/') !== 0) process.exit(1);
fs.readFileSync(file); // ok: path-traversal
