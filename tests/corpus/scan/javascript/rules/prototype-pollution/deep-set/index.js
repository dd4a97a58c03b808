// scan: sources=library
const { assign } = require('./lib/assign');

exports.set = (object, group, key, value) => assign(object[group], key, value); // source: set
