const app = require('express')();
const yaml = require('js-yaml');
const { options } = require('./schema');

app.post('/import', (req, res) => {
  res.json(yaml.load(req.body.text, options)); // source: body // sink: unsafe-deserialization body
});
