// scan: sources=library
function set(object, path, value) { // source: path
  if (typeof path === 'string') return set(object, path.split('.'), value);
  const key = path[0];
  if (path.length === 1) {
    object[key] = value; // sink: prototype-pollution path
    return;
  }
  if (object[key] === undefined) object[key] = {};
  return set(object[key], path.slice(1), value);
}
exports.set = set;
