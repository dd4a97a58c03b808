const { exec } = require('child_process');

let command = process.argv[2];
for (let i = 0; i < 3; i++) {
  command = 'ls -' + i;
  exec(command); // ok: command-injection
}
