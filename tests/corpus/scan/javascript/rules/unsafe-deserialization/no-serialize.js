const app = require('express')();
const serialize = require('node-serialize');

app.post('/', (req, res) => {
  res.json({ text: serialize.serialize({ name: req.body.name }) }); // ok: unsafe-deserialization
});
