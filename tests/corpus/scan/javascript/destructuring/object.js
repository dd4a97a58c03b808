const { exec } = require('child_process');

const { command } = { name: 'x', command: process.argv[2] }; // source: argv
exec(command); // sink: command-injection argv
