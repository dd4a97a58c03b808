// scan: sources=library
function has(obj, key) {
  return Object.prototype.hasOwnProperty.call(obj, key);
}

function deepMerge(a, b) { // source: a
  for (var key in b) {
    if (has(b, key)) {
      if (typeof a[key] === 'object' && typeof b[key] === 'object') deepMerge(a[key], b[key]);
      else a[key] = b[key]; // sink: prototype-pollution a
    }
  }
  return a;
}

module.exports = deepMerge;
