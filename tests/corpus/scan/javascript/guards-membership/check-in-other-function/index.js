const { exec } = require('child_process');
const { check } = require('./check');

const input = process.argv[2]; // source: argv
check(input);
exec(input); // sink: command-injection argv
