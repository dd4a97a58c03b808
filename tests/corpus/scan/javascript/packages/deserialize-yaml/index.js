// scan: sources=library
'use strict';
const yaml = require('js-yaml');

exports.parse = function (text, options) { // source: a
  return yaml.load(text, Object.assign({ json: true }, options)); // sink: unsafe-deserialization a
};
