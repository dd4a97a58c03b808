const { exec } = require('child_process');

let command = process.argv[2];
block: {
  command = 'ls';
  if (process.argv.length > 3) break block;
  command = 'pwd';
}
exec(command); // ok: command-injection
