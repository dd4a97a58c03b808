const app = require('express')();

app.get('/search', (req, res) => {
  const word = req.query.word; // source: query
  const pattern = RegExp('\\b' + word + '\\b', 'i'); // sink: regex-injection query
  res.json({ found: pattern.test('some text') });
});
