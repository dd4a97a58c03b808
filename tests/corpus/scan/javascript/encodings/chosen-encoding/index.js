const { exec } = require('child_process');
const { nameOf } = require('./names');

exec('echo ' + nameOf(process.argv[2])); // source: argv // sink: command-injection argv
