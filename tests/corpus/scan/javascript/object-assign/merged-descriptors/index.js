// scan: sources=library
const mixin = require('merge-descriptors');
const extend = require('xtend/mutable');
const methods = require('./methods');

const app = function () {};
mixin(app, methods, false);
extend(app, { name: 'app' });

module.exports = app;
