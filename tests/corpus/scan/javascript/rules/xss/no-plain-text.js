const app = require('express')();

app.get('/echo', (req, res) => {
  res.setHeader('Content-Type', 'text/plain');
  res.end('Hello ' + req.query.name); // ok: xss
});
