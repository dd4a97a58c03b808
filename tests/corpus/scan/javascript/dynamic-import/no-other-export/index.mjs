import { exec } from 'child_process';
const { fixed } = await import('./input.mjs');

exec(fixed); // ok: command-injection
