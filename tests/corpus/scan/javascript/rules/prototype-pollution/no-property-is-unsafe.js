// scan: sources=library
function propertyIsOnObject(object, property) {
  try {
    return property in object;
  } catch (_) {
    return false;
  }
}

function propertyIsUnsafe(target, key) {
  return (
    propertyIsOnObject(target, key) &&
    !(Object.hasOwnProperty.call(target, key) && Object.propertyIsEnumerable.call(target, key))
  );
}

function merge(target, source) {
  Object.keys(source).forEach(function (key) {
    if (propertyIsUnsafe(target, key)) return;
    if (propertyIsOnObject(target, key) && typeof source[key] === 'object') {
      merge(target[key], source[key]);
    } else {
      target[key] = source[key]; // ok: prototype-pollution
    }
  });
  return target;
}

module.exports = merge;
