const app = require('express')();
const { breadcrumb } = require('./breadcrumb');

app.get('/files/*', (req, res) => {
  res.send(`<nav>${breadcrumb(req.path)}</nav>`); // source: path // sink: xss path
});
