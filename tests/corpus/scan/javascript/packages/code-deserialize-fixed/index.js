// scan: sources=library
exports.unserialize = function unserialize(obj) {
  if (typeof obj === 'string') obj = JSON.parse(obj);
  return obj;
};
