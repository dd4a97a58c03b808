const app = require('express')();
const log = require('./log');

app.get('/', (req, res) => {
  log.write('query', req.query.q);
  res.end();
});
