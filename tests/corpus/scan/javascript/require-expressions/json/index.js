const { exec } = require('child_process');
const settings = require('./settings.json');

exec(settings.command + ' ' + process.argv[2]); // source: argv // sink: command-injection argv
