const express = require('express');
const app = express();

function missing(id) {
  return new Error('no item ' + id);
}

app.get('/item/:id', (req, res, next) => {
  next(missing(req.params.id)); // source: id
});
app.use((err, req, res, next) => {
  res.status(500).send('<h1>' + err.message + '</h1>'); // sink: xss id
});
app.listen(8080);
