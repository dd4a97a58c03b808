const yaml = require('js-yaml');

exports.options = { schema: yaml.DEFAULT_FULL_SCHEMA, json: true };
