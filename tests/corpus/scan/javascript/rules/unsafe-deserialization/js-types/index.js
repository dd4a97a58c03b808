const yaml = require('js-yaml');
const unsafe = require('js-yaml-js-types').all;

const schema = yaml.DEFAULT_SCHEMA.extend(unsafe);
require('express')().post('/', (req, res) => {
  res.json(yaml.load(req.body.text, { schema })); // source: body // sink: unsafe-deserialization body
});
