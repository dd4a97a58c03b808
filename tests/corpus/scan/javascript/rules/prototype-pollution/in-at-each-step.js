// scan: sources=library
module.exports = function set(object, path, value) { // source: path
  const keys = path.split('.');
  const last = keys.pop();
  let current = object;
  for (const key of keys) {
    if (!(key in current)) {
      current[key] = {};
    }
    current = current[key];
  }
  current[last] = value; // sink: prototype-pollution path
};
