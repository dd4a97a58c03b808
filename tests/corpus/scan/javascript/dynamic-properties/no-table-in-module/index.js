const app = require('express')();
const { commandOf } = require('./commands');
const { exec } = require('child_process');

app.get('/run/:name', (req, res) => {
  const command = commandOf(req.params.name);
  if (!command) return res.sendStatus(404);
  exec(command, (error, stdout) => res.json({ stdout })); // ok: command-injection
});
