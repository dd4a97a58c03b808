const app = require('express')();

app.get('/', (req, res) => {
  const text = String(req.body.text);
  res.json(text.search(req.query.pattern)); // source: pattern // sink: regex-injection pattern
});
