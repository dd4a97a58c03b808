// scan: sources=library
function has(obj, key) {
  return Object.prototype.hasOwnProperty.call(obj, key);
}

function deepMerge(a, b) {
  for (var key in b) {
    if (has(b, key) && has(a, key)) {
      if (typeof a[key] === 'object' && typeof b[key] === 'object') deepMerge(a[key], b[key]);
      else a[key] = b[key];
    }
  }
  return a;
}

module.exports = deepMerge;
