const { JSON_SCHEMA } = require('js-yaml');

exports.schema = JSON_SCHEMA;
