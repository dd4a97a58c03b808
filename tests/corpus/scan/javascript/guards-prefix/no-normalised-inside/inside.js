const path = require('path');

exports.inside = function inside(root, name) {
  const file = path.resolve(root, name);
  if (file.indexOf(root) !== 0) throw new Error('outside');
  return file;
};
