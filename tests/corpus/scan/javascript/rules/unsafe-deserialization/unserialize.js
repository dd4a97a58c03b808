const app = require('express')();
const serialize = require('node-serialize');

app.post('/', (req, res) => {
  const value = serialize.unserialize(req.body.data); // source: body // sink: unsafe-deserialization body
  res.json(value);
});
