// The source of a finding is the read whose value reaches the sink, not a read of the same member before it.
const express = require('express');
const { exec } = require('child_process');
const app = express();

function run(command) {
  exec(command); // sink: command-injection variable
}

app.get('/a', (req, res) => {
  const a = req.query.command;
  res.json({ kind: typeof a });
  const b = req.query.command; // source: variable
  run(b);
});

app.get('/b', (req, res) => {
  if (!req.query.name) {
    return res.end();
  }
  exec('run ' + req.query.name); // source: part // sink: command-injection part
  res.end();
});

app.get('/c', (req, res) => {
  const kind = req.query.kind;
  res.json({ length: kind.length });
  const task = { command: req.query.kind }; // source: field
  exec(task.command); // sink: command-injection field
});
