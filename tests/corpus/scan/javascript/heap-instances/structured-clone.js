const { exec } = require('child_process');
const clone = structuredClone({ command: process.argv[2], other: 'ls' }); // source: argv
exec(clone.command); // sink: command-injection argv
