// scan: sources=library
function isUnsafe(key) {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

module.exports = function mix(target, source) {
  for (const key of Object.keys(source)) {
    if (isUnsafe(key)) continue;
    if (typeof target[key] === 'object') mix(target[key], source[key]);
    else Object.defineProperty(target, key, { value: source[key] }); // ok: prototype-pollution
  }
};
