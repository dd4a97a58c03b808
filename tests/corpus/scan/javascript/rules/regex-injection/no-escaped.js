const app = require('express')();
const { escapeRegExp } = require('lodash');

app.get('/', (req, res) => {
  const pattern = new RegExp(escapeRegExp(req.query.q)); // ok: regex-injection
  res.json({ ok: pattern.test('abc') });
});
