import express from 'express';
import { parse } from './parse';
import { exec } from 'child_process';

express().post('/', (req, res) => {
  const unit = parse(req.body?.text)?.target?.unit ?? 'app'; // source: body
  exec(`systemctl restart ${unit}`, () => res.end()); // sink: command-injection body
});
