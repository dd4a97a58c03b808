const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
switch (input) {
  case 'ls':
  case 'pwd':
    exec(input); // ok: command-injection
    break;
  default:
    throw new Error('unknown');
}
