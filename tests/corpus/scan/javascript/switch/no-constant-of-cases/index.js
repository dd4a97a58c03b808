const app = require('express')();
const { exec } = require('child_process');
const { commandOf } = require('./command');

app.post('/:verb', (req, res) => {
  const line = commandOf(req.params.verb, req.body);
  exec(line, () => res.end()); // ok: command-injection
});
