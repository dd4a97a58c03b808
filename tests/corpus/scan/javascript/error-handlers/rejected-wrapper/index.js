const express = require('express');
const { wrap } = require('./wrap');
const app = express();

app.get('/item', wrap(async (req, res) => {
  throw { text: req.query.id }; // source: id
}));
app.use((err, req, res, next) => {
  res.send('<h1>' + err.text + '</h1>'); // sink: xss id
});
app.listen(8080);
