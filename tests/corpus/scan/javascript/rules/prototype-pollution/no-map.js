const table = new Map();
require('express')().post('/', (req, res) => {
  const { section, name, value } = req.body;
  if (!table.has(section)) table.set(section, new Map());
  table.get(section).set(name, value); // ok: prototype-pollution
});
