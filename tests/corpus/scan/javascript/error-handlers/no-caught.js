const express = require('express');
const app = express();

function load(id) {
  throw new Error('no item ' + id);
}

app.get('/item/:id', (req, res, next) => {
  try {
    load(req.params.id);
  } catch (e) {
    next(new Error('no item'));
  }
});
app.use((err, req, res, next) => {
  res.status(500).send('<h1>' + err.message + '</h1>'); // ok: xss
});
app.listen(8080);
