import express from 'express';
import { exec } from 'node:child_process';
import { patterns } from './patterns.mjs';

const app = express();

app.get('/branch', (req, res) => {
  const name = req.query.name; // source: name
  // With the flag `m`, a second line may have anything.
  if (!patterns.branch.test(name)) return res.sendStatus(400);
  exec('git log ' + name, () => res.end()); // sink: command-injection name
});
