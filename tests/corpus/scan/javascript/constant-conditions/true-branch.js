const { exec } = require('child_process');

let command = 'ls';
if (true) {
  command = process.argv[2]; // source: argv
}
exec(command); // sink: command-injection argv
