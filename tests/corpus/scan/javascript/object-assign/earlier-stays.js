// The later argument has another field.
const { exec } = require('child_process');

const options = Object.assign({ command: process.argv[2] }, { folder: 'ls' }); // source: argv
exec(options.command); // sink: command-injection argv
