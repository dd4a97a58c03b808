import { exec } from 'child_process';

const task = { command: process.argv[2] } satisfies { command: string }; // source: argv
exec(task.command); // sink: command-injection argv
