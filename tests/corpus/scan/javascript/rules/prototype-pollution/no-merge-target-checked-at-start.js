// scan: sources=library
function isObject(value) {
  return value !== null && typeof value === 'object';
}

function merge(target, source) {
  if (!isObject(target) || !isObject(source)) return source;
  for (const key of Object.keys(source)) {
    if (key === '__proto__') continue;
    target[key] = merge(target[key], source[key]); // ok: prototype-pollution
  }
  return target;
}
module.exports = merge;
