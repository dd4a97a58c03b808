const app = require('express')();

app.post('/', (req, res) => {
  const { prefix } = req.body; // source: body
  const flags = 'g';
  const pattern = new RegExp(`^${prefix}.*$`, flags); // sink: regex-injection body
  res.json({ ok: pattern.test('abc') });
});
