const app = require('express')();

app.get('/go', (req, res) => {
  res.redirect(req.query.url); // source: query // sink: open-redirect query
});
