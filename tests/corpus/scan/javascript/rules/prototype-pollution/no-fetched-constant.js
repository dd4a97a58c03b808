// scan: sources=library
const _ = require('lodash');

function options(object) {
  return _.get(object, 'settings.options');
}

exports.put = function put(object, key, value) {
  options(object)[key] = value; // ok: prototype-pollution
};
