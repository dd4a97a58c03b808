const app = require('express')();
const table = { a: {} };

app.post('/set', (req, res) => {
  table.a.name = req.body.name; // ok: prototype-pollution
  table['a']['title'] = req.body.title; // ok: prototype-pollution
  res.end();
});
