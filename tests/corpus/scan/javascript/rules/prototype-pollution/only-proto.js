// scan: sources=library
exports.set = function set(object, path, value) { // source: path
  const keys = path.split('.');
  let current = object;
  for (let i = 0; i < keys.length - 1; i++) {
    const key = keys[i];
    if (key === '__proto__') return;
    current = current[key];
  }
  current[keys[keys.length - 1]] = value; // sink: prototype-pollution path
};
