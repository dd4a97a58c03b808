// scan: sources=library
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

exports.set = function set(object, path, value) {
  const keys = path.split('.');
  let current = object;
  for (let i = 0; i < keys.length - 1; i++) {
    const key = keys[i];
    if (FORBIDDEN.includes(key)) return;
    current = current[key];
  }
  const last = keys[keys.length - 1];
  if (FORBIDDEN.includes(last)) return;
  current[last] = value; // ok: prototype-pollution
};
