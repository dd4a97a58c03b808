const app = require('express')();
const { page } = require('./page');

app.get('/:title', (req, res) => {
  res.send(page(req.params.title)); // ok: xss
});
