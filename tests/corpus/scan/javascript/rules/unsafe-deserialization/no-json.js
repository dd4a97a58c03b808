const app = require('express')();

app.post('/', (req, res) => {
  const value = JSON.parse(req.body.data); // ok: unsafe-deserialization
  res.json(value);
});
