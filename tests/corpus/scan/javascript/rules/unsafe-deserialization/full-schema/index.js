const yaml = require('js-yaml');

require('express')().post('/', (req, res) => {
  res.json(yaml.load(req.body.text, { schema: yaml.DEFAULT_FULL_SCHEMA })); // source: body // sink: unsafe-deserialization body
});
