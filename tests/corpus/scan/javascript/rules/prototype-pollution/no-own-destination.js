// scan: sources=library
function merge(target, source) {
  for (const key in source) {
    if (Object.prototype.hasOwnProperty.call(target, key) && typeof target[key] === 'object') {
      merge(target[key], source[key]);
    } else {
      target[key] = source[key]; // ok: prototype-pollution
    }
  }
  return target;
}
exports.merge = merge;
