// scan: sources=library
function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function merge(target, source) { // source: a
  Object.keys(source).forEach(function (key) {
    var value = source[key];
    if (isObject(value) && isObject(target[key])) {
      merge(target[key], value);
    } else {
      target[key] = value; // sink: prototype-pollution a
    }
  });
  return target;
}

module.exports = merge;
