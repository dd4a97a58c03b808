// scan: sources=library
const dotProp = require('dot-prop');

exports.put = function put(object, path, key, value) {
  const parent = dotProp.get(object, path);
  parent[key] = value; // ok: prototype-pollution
};
