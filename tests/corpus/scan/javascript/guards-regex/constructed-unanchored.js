const { exec } = require('child_process');

const name = process.argv[2]; // source: argv
if (new RegExp('[a-z]+').test(name)) exec('ls ' + name); // sink: command-injection argv
