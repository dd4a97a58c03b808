const { exec } = require('child_process');

const text = process.argv[2]; // source: argv
exec('echo ' + text.toString('hex')); // sink: command-injection argv
