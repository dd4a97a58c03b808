import { exec } from 'child_process';

const options = { command: process.argv[2] as unknown } as { command: string }; // source: argv
exec(options.command as string); // sink: command-injection argv
