const app = require('express')();

app.get('/', (req, res) => {
  res.json('some text'.match(req.query.pattern)); // source: pattern // sink: regex-injection pattern
});
