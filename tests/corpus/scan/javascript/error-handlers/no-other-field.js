const express = require('express');
const app = express();

function failure(id) {
  return { title: 'no such item', id };
}

app.get('/item/:id', (req, res, next) => next(failure(req.params.id)));
app.use((err, req, res, next) => {
  res.send('<h1>' + err.title + '</h1>'); // ok: xss
});
app.listen(8080);
