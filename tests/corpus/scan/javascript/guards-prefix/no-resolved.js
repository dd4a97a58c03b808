const fs = require('fs');
const path = require('path');

const file = path.resolve('/data', process.argv[2]);
if (file.startsWith('/data/')) {
  fs.readFileSync(file); // ok: path-traversal
}
