const path = require('path');
const app = require('express')();

app.get('/', (req, res) => {
  const name = req.query.name;
  if (!/^[a-z]+$/.test(name)) return res.sendStatus(400);
  require('./plugins/' + name); // ok: path-traversal // ok: code-injection
  require('./plugins/' + path.basename(req.query.file)); // ok: path-traversal // ok: code-injection
  res.end();
});
