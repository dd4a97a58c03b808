const app = require('express')();
const { globToRegExp } = require('./glob');

app.get('/files', (req, res) => {
  const pattern = globToRegExp(req.query.glob); // source: glob
  res.json(['a.js', 'b.ts'].filter((file) => pattern.test(file)));
});
