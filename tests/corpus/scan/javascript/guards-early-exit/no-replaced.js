const { exec } = require('child_process');

let command = process.argv[2];
if (!/^[a-z]+$/.test(command)) {
  command = 'ls';
}
exec(command); // ok: command-injection
