const { exec } = require('child_process');

const command = process.argv[2];
if (command === 'ls' || command === 'pwd') {
  exec(command); // ok: command-injection
}
