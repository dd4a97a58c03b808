// scan: sources=library
exports.set = (object, path, value) => { // source: path
  const keys = path.split('.');
  const last = keys.pop();
  const parent = keys.reduce((current, key) => current[key] || (current[key] = {}), object);
  parent[last] = value; // sink: prototype-pollution path
};
