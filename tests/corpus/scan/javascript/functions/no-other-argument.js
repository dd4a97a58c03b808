const { exec } = require('child_process');

function run(label, command) {
  exec(command); // ok: command-injection
  return label;
}

run(process.argv[2], 'ls');
