// A test of a member covers the next read of the same member.
const express = require('express');
const { exec } = require('child_process');
const app = express();

function run(command) {
  exec(command); // ok: command-injection
}

app.get('/a', (req, res) => {
  if (!['start', 'stop'].includes(req.query.command)) {
    return res.end();
  }
  const command = req.query.command;
  run(command);
  exec('service ' + req.query.command); // ok: command-injection
  exec(`service ${req.query.command}`); // ok: command-injection
  res.end();
});

app.get('/b', (req, res) => {
  const name = req.params.name;
  if (!/^[a-z]+$/.test(name)) {
    return res.end();
  }
  exec('service ' + name); // ok: command-injection
  res.end();
});
