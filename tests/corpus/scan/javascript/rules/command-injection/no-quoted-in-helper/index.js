const app = require('express')();
const { commandLine } = require('./line');
const { exec } = require('child_process');

app.post('/archive', (req, res) => {
  exec(commandLine('tar', 'czf', 'out.tgz', req.body.folder), () => res.end()); // ok: command-injection
});
