const { exec } = require('child_process');

const mode = new Date().getDay();
let command = 'ls';
switch (mode) {
  default:
    command = process.argv[2]; // source: argv
  case 7:
    exec(command); // sink: command-injection argv
}
