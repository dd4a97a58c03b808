// scan: sources=library
const _ = require('lodash');

function parentOf(object, keys) {
  return _.get(object, keys.join('.'));
}

module.exports = function set(object, path, value) { // source: path
  const keys = path.split('.');
  const last = keys.pop();
  const parent = parentOf(object, keys);
  parent[last] = value; // sink: prototype-pollution path
};
