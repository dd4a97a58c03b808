const app = require('express')();
const { wordPattern } = require('./patterns');

app.get('/search', (req, res) => {
  const pattern = wordPattern(req.query.word);
  res.json({ found: pattern.test('some text') });
});
