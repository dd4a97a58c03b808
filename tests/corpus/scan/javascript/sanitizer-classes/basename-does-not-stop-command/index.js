const { exec } = require('child_process');
const { nameOf } = require('./name');

exec('ls ' + nameOf(process.argv[2])); // source: argv // sink: command-injection argv
