const { exec } = require('child_process');
const { commandOf } = require('./command');

exec(commandOf({ target: process.argv[2] })); // source: argv // sink: command-injection argv
