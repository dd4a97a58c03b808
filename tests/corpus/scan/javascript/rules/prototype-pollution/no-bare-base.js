const table = Object.create(null);
require('express')().post('/', (req, res) => {
  const { section, name, value } = req.body;
  if (!table[section]) table[section] = Object.create(null);
  table[section][name] = value; // ok: prototype-pollution
});
