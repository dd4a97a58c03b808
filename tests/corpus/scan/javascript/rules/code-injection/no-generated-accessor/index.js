const app = require('express')();
const { getter } = require('./getter');

const nameOf = getter('name');

app.post('/', (req, res) => {
  res.json({ name: nameOf(req.body) });
});
