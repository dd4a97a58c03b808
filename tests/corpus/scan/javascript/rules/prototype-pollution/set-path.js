// scan: sources=library
module.exports = function set(object, path, value) { // source: path
  const keys = path.split('.');
  let current = object;
  for (let i = 0; i < keys.length - 1; i++) {
    current = current[keys[i]];
  }
  current[keys[keys.length - 1]] = value; // sink: prototype-pollution path
  return object;
};
