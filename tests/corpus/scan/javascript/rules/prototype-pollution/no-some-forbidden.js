// scan: sources=library
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

exports.set = function set(object, path, value) {
  const keys = path.split('.');
  if (keys.some((key) => FORBIDDEN.includes(key))) return;
  let current = object;
  for (let i = 0; i < keys.length - 1; i++) {
    current = current[keys[i]];
  }
  current[keys[keys.length - 1]] = value; // ok: prototype-pollution
};
