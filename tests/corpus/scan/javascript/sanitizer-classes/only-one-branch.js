const app = require('express')();
const escapeHtml = require('escape-html');

app.get('/', (req, res) => {
  let name = req.query.name; // source: query
  if (req.method === 'POST') name = escapeHtml(name);
  res.send('<b>' + name + '</b>'); // sink: xss query
});
