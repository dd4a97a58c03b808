const app = require('express')();
const escapeHtml = require('escape-html');

app.get('/', (req, res) => {
  res.send('<b>' + escapeHtml(req.query.name) + '</b>'); // ok: xss
});
