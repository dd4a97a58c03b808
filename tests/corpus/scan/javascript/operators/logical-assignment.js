const { exec } = require('child_process');
let command = 'ls';
if (process.argv.length > 2) command = process.argv[2]; // source: argv
command ||= 'pwd';
command &&= command + ' -l';
exec(command); // sink: command-injection argv
