const { exec } = require('child_process');

const key = 'command';
const { [key]: line } = { command: process.argv[2] }; // source: argv
exec(line); // sink: command-injection argv
