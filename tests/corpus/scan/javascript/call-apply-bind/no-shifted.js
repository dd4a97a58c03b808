const { exec } = require('child_process');

function run(title, command) {
  exec(command); // ok: command-injection
  return title;
}

const bound = run.bind(null, process.argv[2]);
bound('ls');
