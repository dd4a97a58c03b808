const app = require('express')();
const { exec } = require('child_process');
const validators = require('./validators');

app.get('/ping', (req, res) => {
  const { host } = req.query;
  if (!validators.host(host)) return res.sendStatus(422);
  exec(`ping -c 1 ${host}`, () => res.end()); // ok: command-injection
});
