const yaml = require('js-yaml');

require('express')().post('/', (req, res) => {
  res.json(yaml.load(req.body.text, { schema: yaml.CORE_SCHEMA })); // ok: unsafe-deserialization
});
