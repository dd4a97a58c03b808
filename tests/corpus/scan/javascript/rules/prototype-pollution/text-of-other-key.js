// scan: sources=library
exports.set = function set(object, path, value) { // source: path
  let current = object;
  for (let i = 0; i < path.length; i++) {
    const key = path[i];
    const name = String(i);
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') return object;
    if (i === path.length - 1) {
      current[key] = value; // sink: prototype-pollution path
    } else {
      current = current[key] = current[key] || {};
    }
  }
  return object;
};
