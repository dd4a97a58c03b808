const { exec } = require('child_process');

const options = { name: 'x', command: process.argv[2] }; // source: argv
const { name, ...rest } = options;
exec(rest.command); // sink: command-injection argv
