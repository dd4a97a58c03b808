const { exec } = require('child_process');
const { isName } = require('./is-name');

const input = process.argv[2]; // source: argv
if (isName(input)) exec('ls ' + input); // sink: command-injection argv
