const app = require('express')();

const index = { search: (query) => [query], match: (query) => query };
app.get('/', (req, res) => {
  res.json(index.search(req.query.q)); // ok: regex-injection
});
