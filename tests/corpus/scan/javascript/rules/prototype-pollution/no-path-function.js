// scan: sources=library
function getPath(path) {
  const parts = [];
  for (const part of path.split('.')) {
    if (part === '__proto__' || part === 'constructor' || part === 'prototype') return [];
    parts.push(part);
  }
  return parts;
}

exports.set = function set(object, path, value) {
  const keys = getPath(path);
  let current = object;
  for (let i = 0; i < keys.length - 1; i++) {
    current = current[keys[i]];
  }
  current[keys[keys.length - 1]] = value; // ok: prototype-pollution
};
