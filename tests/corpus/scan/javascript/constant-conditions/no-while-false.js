const { exec } = require('child_process');

let command = 'ls';
while (false) {
  command = process.argv[2];
}
exec(command); // ok: command-injection
