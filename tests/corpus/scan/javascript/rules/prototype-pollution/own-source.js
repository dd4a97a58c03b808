// scan: sources=library
function merge(target, source) { // source: source
  for (const key in source) {
    if (Object.prototype.hasOwnProperty.call(source, key)) {
      if (typeof target[key] === 'object') merge(target[key], source[key]);
      else target[key] = source[key]; // sink: prototype-pollution source
    }
  }
  return target;
}
exports.merge = merge;
