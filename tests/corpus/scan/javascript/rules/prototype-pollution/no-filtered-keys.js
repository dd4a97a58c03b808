// scan: sources=library
const isSafe = (key) => key !== '__proto__' && key !== 'constructor' && key !== 'prototype';

exports.set = function set(object, path, value) {
  const keys = path.split('.').filter(isSafe);
  let current = object;
  for (let i = 0; i < keys.length - 1; i++) {
    current = current[keys[i]];
  }
  current[keys[keys.length - 1]] = value; // ok: prototype-pollution
};
