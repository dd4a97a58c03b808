// scan: sources=library
// `constructor` and `prototype` lead to a prototype too: only the type of the source is tested.
function merge(target, source) { // source: merge
  for (const key in source) {
    if (key === '__proto__') continue;
    if (typeof source[key] === 'object') {
      if (!target[key]) target[key] = {};
      merge(target[key], source[key]);
    } else target[key] = source[key]; // sink: prototype-pollution merge
  }
  return target;
}
module.exports = merge;
