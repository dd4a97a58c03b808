// scan: sources=library
function isSafe(key) {
  return key !== '__proto__' && key !== 'constructor' && key !== 'prototype';
}

module.exports = function set(obj, keys, val) {
  if (typeof keys === 'string') keys = keys.split('.');
  if (!keys.every(isSafe)) return obj;
  if (keys.length > 1) {
    var head = keys.shift();
    obj[head] = set(obj[head] || {}, keys, val);
  } else {
    obj[keys[0]] = val;
  }
  return obj;
};
