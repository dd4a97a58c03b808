const { exec } = require('child_process');

function run(command) {
  if (!['ls', 'pwd'].includes(command)) {
    return;
  }
  exec(command); // ok: command-injection
}

run(process.argv[2]);
