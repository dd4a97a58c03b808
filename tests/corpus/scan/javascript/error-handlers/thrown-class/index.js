const express = require('express');
const { NotFound } = require('./errors');
const app = express();

app.get('/item/:id', (req, res) => {
  throw new NotFound(req.params.id); // source: id
});
app.use((err, req, res, next) => {
  res.status(err.status).send('<h1>' + err.message + '</h1>'); // sink: xss id
});
app.listen(8080);
