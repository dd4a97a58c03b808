const { exec } = require('child_process');
const { areNames } = require('./check');

const names = process.argv.slice(2); // source: argv
if (areNames(names)) exec('ls ' + names.join(' ')); // sink: command-injection argv
