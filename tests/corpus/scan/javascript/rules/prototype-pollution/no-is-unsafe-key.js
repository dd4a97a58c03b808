// scan: sources=library
function isUnsafeKey(key) {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}
function merge(target, source) {
  for (const key in source) {
    if (isUnsafeKey(key)) continue;
    if (typeof target[key] === 'object') merge(target[key], source[key]);
    else target[key] = source[key]; // ok: prototype-pollution
  }
  return target;
}
exports.merge = merge;
