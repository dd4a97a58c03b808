const { exec } = require('child_process');

function run(command) {
  if (command !== 'ls') throw new Error('unknown ' + command);
  exec(command); // ok: command-injection
}

run(process.argv[2]);
