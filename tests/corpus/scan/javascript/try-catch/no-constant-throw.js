const { exec } = require('child_process');

try {
  if (process.argv[2] !== 'x') throw 'ls';
} catch (command) {
  exec(command); // ok: command-injection
}
