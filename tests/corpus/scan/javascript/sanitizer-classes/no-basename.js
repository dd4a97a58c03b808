const fs = require('fs');
const path = require('path');

fs.readFileSync(path.join('/data', path.basename(process.argv[2]))); // ok: path-traversal
