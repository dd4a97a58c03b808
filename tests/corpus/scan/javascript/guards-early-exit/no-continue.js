const { exec } = require('child_process');

for (const command of process.argv.slice(2)) {
  if (command !== 'ls' && command !== 'pwd') continue;
  exec(command); // ok: command-injection
}
