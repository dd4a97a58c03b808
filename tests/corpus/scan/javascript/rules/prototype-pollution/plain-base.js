const table = {};
require('express')().post('/', (req, res) => {
  const { section, name, value } = req.body; // source: body
  if (!table[section]) table[section] = {};
  table[section][name] = value; // sink: prototype-pollution body
});
