// scan: sources=library
module.exports = function set(obj, keys, val) { // source: a
  if (typeof keys === 'string') keys = keys.split('.');
  if (keys.length > 1) {
    var head = keys.shift();
    obj[head] = set(obj[head] || {}, keys, val); // sink: prototype-pollution a
  } else {
    obj[keys[0]] = val; // sink: prototype-pollution a
  }
  return obj;
};
