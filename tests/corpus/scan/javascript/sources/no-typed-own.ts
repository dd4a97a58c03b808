import { exec } from 'child_process';

interface Request {
  query: { name: string };
}

export function handler(r: Request) {
  exec('ls ' + r.query.name); // ok: command-injection
}
