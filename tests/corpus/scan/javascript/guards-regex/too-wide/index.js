const { exec } = require('child_process');
const { NAME } = require('./patterns');

const input = process.argv[2]; // source: argv
if (NAME.test(input)) exec('ls ' + input); // sink: command-injection argv
