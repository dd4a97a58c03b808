import express from 'express';
import { z } from 'zod';
import { exec } from 'child_process';

function run(command: string) {
  exec(command); // sink: command-injection input
}

const Body = z.object({ level: z.string().min(1), count: z.number() });
express().post('/', (req, res) => {
  const { level } = Body.parse(req.body); // source: input
  run(`ctl --level ${level}`);
});
