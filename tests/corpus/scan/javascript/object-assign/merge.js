const { exec } = require('child_process');

const options = Object.assign({}, { cwd: '/tmp' }, { command: process.argv[2] }); // source: argv
exec(options.command); // sink: command-injection argv
