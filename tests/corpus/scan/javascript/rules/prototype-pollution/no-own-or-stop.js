// scan: sources=library
module.exports = function set(object, path, value) {
  const keys = path.split('.');
  let current = object;
  for (let i = 0; i < keys.length - 1; i++) {
    if (!Object.hasOwn(current, keys[i])) return false;
    current = current[keys[i]];
  }
  current[keys[keys.length - 1]] = value; // ok: prototype-pollution
  return true;
};
