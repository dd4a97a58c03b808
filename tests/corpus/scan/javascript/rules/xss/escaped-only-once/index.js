const app = require('express')();
const { card } = require('./card');

app.get('/card', (req, res) => {
  res.send(card(req.query)); // source: query // sink: xss query
});
