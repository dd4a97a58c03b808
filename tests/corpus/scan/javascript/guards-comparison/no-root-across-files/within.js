const path = require('path');

exports.within = (root, name) => {
  const full = path.resolve(root, name);
  if (full !== root && !full.startsWith(root + path.sep)) throw new RangeError('outside');
  return full;
};
