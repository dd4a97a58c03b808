const app = require('express')();

app.get('/', (req, res) => {
  const pattern = new RegExp('^[a-z]+' + '$'); // ok: regex-injection
  res.json({ ok: pattern.test(req.query.q) });
});
