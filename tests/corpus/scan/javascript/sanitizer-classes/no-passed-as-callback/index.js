const app = require('express')();
const { list } = require('./list');
const escapeHtml = require('escape-html');

app.get('/tags', (req, res) => {
  res.send(list(req.query.tags.split(','), escapeHtml)); // ok: xss
});
