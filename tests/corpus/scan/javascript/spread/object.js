const { exec } = require('child_process');

const base = { command: process.argv[2] }; // source: argv
const options = { cwd: '/tmp', ...base };
exec(options.command); // sink: command-injection argv
