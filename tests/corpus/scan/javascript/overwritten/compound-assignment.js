const { exec } = require('child_process');

let line = 'ls';
line += ' ' + process.argv[2]; // source: argv
exec(line); // sink: command-injection argv
