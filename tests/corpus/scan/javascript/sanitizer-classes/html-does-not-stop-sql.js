const app = require('express')();
const escapeHtml = require('escape-html');
const db = require('mysql').createConnection({});

app.get('/', (req, res) => {
  const name = escapeHtml(req.query.name); // source: query
  db.query('SELECT * FROM t WHERE id = ' + name); // sink: sql-injection query
  res.send('<b>' + name + '</b>'); // ok: xss
});
