require('express')().get('/', (req, res) => {
  const pattern = new RegExp(req.query.q); // source: query // sink: regex-injection query
  res.json('abc'.match(pattern)); // ok: regex-injection
});
