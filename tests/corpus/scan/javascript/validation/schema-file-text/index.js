const { exec } = require('child_process');
const app = require('express')();
const { query } = require('./schemas');

app.get('/', (req, res) => {
  const { value } = query.validate(req.query); // source: input
  exec('head ' + value.name); // sink: command-injection input
  res.end();
});
