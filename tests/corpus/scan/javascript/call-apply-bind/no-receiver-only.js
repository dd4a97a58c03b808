const { exec } = require('child_process');

function run(command) {
  exec(command); // ok: command-injection
}

run.call(process.argv[2], 'ls');
