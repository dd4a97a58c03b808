const { exec } = require('child_process');
const { areNames } = require('./check');

const names = process.argv.slice(2);
if (areNames(names)) exec('ls ' + names.join(' ')); // ok: command-injection
