const app = require('express')();

app.get('/login', (req, res) => {
  const next = req.query.next || '/'; // source: query
  res.redirect(302, next); // sink: open-redirect query
});
