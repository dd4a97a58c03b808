require('express')().get('/', (req, res) => {
  const rows = [{ match: (text) => text === 'a' }];
  res.json(rows.filter((row) => row.match(req.query.q))); // ok: regex-injection
});
