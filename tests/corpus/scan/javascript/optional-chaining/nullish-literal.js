const { exec } = require('child_process');
const config = null;
const input = { options: { command: process.argv[2] } }; // source: argv
exec(input?.options?.command ?? 'ls'); // sink: command-injection argv
input.run?.(1);
