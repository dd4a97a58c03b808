const { exec } = require('child_process');

const name = process.argv[2]; // source: argv
if (/^[a-z]+$/.exec(name) == null) exec('ls ' + name); // sink: command-injection argv
