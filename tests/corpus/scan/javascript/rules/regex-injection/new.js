const app = require('express')();

app.get('/search', (req, res) => {
  const pattern = new RegExp(req.query.q); // source: query // sink: regex-injection query
  res.json(['one', 'two'].filter((word) => pattern.test(word)));
});
