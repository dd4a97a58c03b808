import { Request, Response } from 'express';
import { exec } from 'child_process';

export function handler(r: Request, s: Response) {
  exec('ls ' + r.query.name); // source: name // sink: command-injection name
}
