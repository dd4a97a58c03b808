const app = require('express')();

app.get('/', (req, res) => {
  res.json({ name: req.query.name }); // ok: xss
});
