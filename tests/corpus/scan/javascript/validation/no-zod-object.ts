import express from 'express';
import { z } from 'zod';
import { exec } from 'child_process';

function run(command: string) {
  exec(command); // ok: command-injection
}

const Body = z.object({ level: z.enum(['debug', 'info']), count: z.coerce.number().int().min(1), id: z.string().regex(/^\w+$/) });
express().post('/', (req, res) => {
  const { level, count, id } = Body.parse(req.body);
  run(`ctl --level ${level} -n ${count} ${id}`);
  const checked = Body.safeParse(req.body);
  if (checked.success) run(`ctl ${checked.data.level}`);
});
