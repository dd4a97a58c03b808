const { exec } = require('child_process');
const { toNumber } = require('./convert');

const input = process.argv[2]; // source: argv
toNumber(input);
exec('kill ' + input); // sink: command-injection argv
