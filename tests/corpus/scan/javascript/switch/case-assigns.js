const { exec } = require('child_process');

let command;
switch (process.argv.length) {
  case 3:
    command = process.argv[2]; // source: argv
    break;
  default:
    command = 'ls';
}
exec(command); // sink: command-injection argv
