const app = require('express')();
const { exec } = require('child_process');
const { assertKnown } = require('./known');

app.get('/status', (req, res) => {
  const { unit } = req.query;
  assertKnown(unit);
  exec(`systemctl status ${unit}`, (error, text) => res.json({ text })); // ok: command-injection
});
