const app = require('express')();
const table = {};

app.post('/set', (req, res) => {
  const { section, name, value } = req.body; // source: body
  table[section][name] = value; // sink: prototype-pollution body
  res.end();
});
