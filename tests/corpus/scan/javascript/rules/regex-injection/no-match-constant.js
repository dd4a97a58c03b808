const app = require('express')();

app.get('/', (req, res) => {
  res.json(req.query.text.match('^[a-z]+$')); // ok: regex-injection
});
