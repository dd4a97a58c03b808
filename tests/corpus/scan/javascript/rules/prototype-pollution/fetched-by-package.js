// scan: sources=library
const get = require('get-value');

exports.put = function put(object, path, key, value) { // source: path
  const parent = get(object, path);
  parent[key] = value; // sink: prototype-pollution path
};
