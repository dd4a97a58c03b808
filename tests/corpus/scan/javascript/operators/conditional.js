const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
exec(input.length > 3 ? input : 'ls'); // sink: command-injection argv
