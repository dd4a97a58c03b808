// scan: sources=library
const mixin = require('merge-descriptors');
const methods = require('./methods');

const hidden = function () {};
mixin(hidden, methods, false);

module.exports = function app() {
  hidden.list('build');
};
