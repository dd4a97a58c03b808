const { exec } = require('child_process');

const command = process.argv[2]; // source: argv
switch (command) {
  case 'ls':
    break;
  default:
    exec(command); // sink: command-injection argv
}
