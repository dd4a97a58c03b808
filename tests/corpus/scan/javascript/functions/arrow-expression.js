const { exec } = require('child_process');

const prefix = (text) => 'ls ' + text;
const input = process.argv[2]; // source: argv
exec(prefix(input)); // sink: command-injection argv
