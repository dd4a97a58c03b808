const app = require('express')();

app.get('/plain', (req, res) => {
  res.type('text');
  res.send('x');
});

app.get('/echo', (req, res) => {
  res.send('Hello ' + req.query.name); // source: name // sink: xss name
});
