const app = require('express')();
const escapeHtml = require('escape-html');

app.get('/', (req, res) => {
  const name = req.query.name; // source: query
  const safe = escapeHtml(name);
  res.send('<b title="' + safe + '">' + name + '</b>'); // sink: xss query
});
