const { exec } = require('child_process');

const options = { command: undefined };
options.command ??= process.argv[2]; // source: argv
exec(options.command); // sink: command-injection argv
