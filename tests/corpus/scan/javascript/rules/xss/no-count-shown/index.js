const app = require('express')();
const { summary } = require('./summary');

app.get('/search', (req, res) => {
  res.send(summary(req.query.q.split(' '))); // ok: xss
});
