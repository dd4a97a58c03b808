const { exec } = require('child_process');

let command = 'ls';
{
  let command = process.argv[2];
  command.trim();
}
exec(command); // ok: command-injection
