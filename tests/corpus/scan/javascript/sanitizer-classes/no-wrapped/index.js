const app = require('express')();
const { page } = require('./page');

app.get('/', (req, res) => {
  res.send(page(req.query.name)); // ok: xss
});
