const fs = require('fs');
const path = require('path');

const name = process.argv[2];
if (name.includes('..')) throw new Error('bad name');
fs.readFileSync(path.join('/data', name)); // ok: path-traversal
