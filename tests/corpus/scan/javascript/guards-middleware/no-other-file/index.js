const { exec } = require('child_process');
const app = require('express')();
const { validate } = require('./validate');

app.post('/', [validate], (req, res) => {
  const { name } = req.body;
  exec(`svc ${name}`); // ok: command-injection
  res.end();
});
