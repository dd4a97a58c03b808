const { exec } = require('child_process');

function run() {
  exec(arguments[0]); // ok: command-injection
}

run('ls', process.argv[2]);
