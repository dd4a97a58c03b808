// scan: sources=library
'use strict';
const yaml = require('js-yaml');

exports.parse = function (text, options) {
  return yaml.safeLoad(text, Object.assign({ json: true }, options));
};
