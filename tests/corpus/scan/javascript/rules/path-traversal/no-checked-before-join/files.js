const fs = require('fs');
const path = require('path');

exports.open = (root, name) => {
  if (name.includes('..')) throw new Error('bad name');
  return fs.createReadStream(path.join(root, name)); // ok: path-traversal
};
