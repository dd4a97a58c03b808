const fs = require('fs');
const path = require('path');

function read(name) {
  const file = path.join('/data', name);
  if (!file.startsWith('/data/')) throw new Error('outside');
  return fs.readFileSync(file); // ok: path-traversal
}

read(process.argv[2]);
