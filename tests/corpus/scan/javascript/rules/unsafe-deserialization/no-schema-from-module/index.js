const app = require('express')();
const yaml = require('js-yaml');
const { schema } = require('./schema');

app.post('/import', (req, res) => {
  res.json(yaml.load(req.body.text, { schema })); // ok: unsafe-deserialization
});
