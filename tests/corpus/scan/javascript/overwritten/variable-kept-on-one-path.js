const { exec } = require('child_process');

let command = process.argv[2]; // source: argv
if (command.length > 10) command = 'ls';
exec(command); // sink: command-injection argv
