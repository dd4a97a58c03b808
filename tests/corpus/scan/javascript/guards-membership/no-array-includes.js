const { exec } = require('child_process');

const command = process.argv[2];
if (['ls', 'pwd'].includes(command)) {
  exec(command); // ok: command-injection
}
