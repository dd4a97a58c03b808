const { exec } = require('child_process');

const first = { command: 'ls' };
const second = first;
second.command = process.argv[2]; // source: argv
exec(first.command); // sink: command-injection argv
