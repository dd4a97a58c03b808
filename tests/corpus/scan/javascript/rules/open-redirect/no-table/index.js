const app = require('express')();
const { targetOf } = require('./targets');

app.get('/', (req, res) => {
  res.redirect(targetOf(req.query.name)); // ok: open-redirect
});
