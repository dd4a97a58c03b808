// scan: sources=library
function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function merge(target, source) {
  Object.keys(source).forEach(function (key) {
    if (key === '__proto__') return;
    var value = source[key];
    if (isObject(value) && isObject(target[key])) {
      merge(target[key], value);
    } else {
      target[key] = value;
    }
  });
  return target;
}

module.exports = merge;
