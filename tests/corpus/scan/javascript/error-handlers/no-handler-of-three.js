const express = require('express');
const app = express();

function show(res, error) {
  res.send('<h1>' + error + '</h1>'); // ok: xss
}

app.get('/item/:id', (req, res, next) => next(req.params.id));
app.use((error, req, res) => show(error, 'unknown page'));
app.listen(8080);
