const app = require('express')();
const { decode } = require('./decode');

app.post('/', (req, res) => {
  res.json(decode(req.body)); // source: body
});
