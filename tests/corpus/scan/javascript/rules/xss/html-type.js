const app = require('express')();

app.get('/echo', (req, res) => {
  res.setHeader('Content-Type', 'text/html');
  res.end('Hello ' + req.query.name); // source: name // sink: xss name
});
