import { exec } from 'child_process';

const task = { title: process.argv[2]!, command: 'ls' } satisfies Record<string, string>;
exec((task as { command: string }).command); // ok: command-injection
