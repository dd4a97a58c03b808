const { exec } = require('child_process');

const command = process.argv[2];
switch (command) {
  case 'ls':
  case 'pwd':
    exec(command); // ok: command-injection
    break;
  default:
    console.error('no');
}
