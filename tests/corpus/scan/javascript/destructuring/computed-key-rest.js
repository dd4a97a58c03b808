const { exec } = require('child_process');

const key = 'command';
const { [key]: c, ...others } = { command: process.argv[2], title: 'ls' }; // source: argv
exec(c); // sink: command-injection argv
exec(others.title); // ok: command-injection
