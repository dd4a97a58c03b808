const { exec } = require('child_process');

function run(command, title) {
  exec(command); // ok: command-injection
  return title;
}

const parts = ['ls', process.argv[2]];
run(...parts);
