const app = require('express')();

app.get('/echo', (req, res) => {
  res.type('txt').send(req.query.name); // ok: xss
});

app.get('/other', (req, res) => {
  res.set('Content-Type', 'application/json; charset=utf-8');
  res.send(req.query.name); // ok: xss
});
