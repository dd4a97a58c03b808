// scan: sources=library
function merge(target, source) {
  for (const key in source) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') continue;
    if (typeof source[key] === 'object' && typeof target[key] === 'object') merge(target[key], source[key]);
    else target[key] = source[key]; // ok: prototype-pollution
  }
  return target;
}

module.exports = merge;
