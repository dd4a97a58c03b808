const { exec } = require('child_process');
const app = require('express')();
const { query } = require('./schemas');

app.get('/', (req, res) => {
  const { value } = query.validate(req.query);
  exec('head -n ' + value.lines); // ok: command-injection
  res.end();
});
