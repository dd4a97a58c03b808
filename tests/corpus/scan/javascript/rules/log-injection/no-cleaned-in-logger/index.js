const app = require('express')();
const { log } = require('./log');

app.get('/', (req, res) => {
  log('search', req.query.q);
  res.end();
});
