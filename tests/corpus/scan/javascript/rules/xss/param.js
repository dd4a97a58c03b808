const app = require('express')();

app.param('name', (req, res, next, name) => { // source: name
  res.write('<b>' + name + '</b>'); // sink: xss name
  next();
});
