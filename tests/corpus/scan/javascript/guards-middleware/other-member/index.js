const { exec } = require('child_process');
const app = require('express')();
const { validate } = require('./validate');

app.post('/', validate, (req, res) => {
  exec(`svc ${req.body.other}`); // source: input // sink: command-injection input
  res.end();
});
