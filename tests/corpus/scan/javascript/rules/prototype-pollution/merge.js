// scan: sources=library
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

function merge(target, source) { // source: merge
  for (const key in source) {
    if (isObject(source[key]) && isObject(target[key])) merge(target[key], source[key]);
    else target[key] = source[key]; // sink: prototype-pollution merge
  }
  return target;
}

module.exports = merge;
