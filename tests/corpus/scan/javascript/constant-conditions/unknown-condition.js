const { exec } = require('child_process');

let command = process.argv[2]; // source: argv
if (Date.now() % 2) {
  command = 'ls';
}
exec(command); // sink: command-injection argv
