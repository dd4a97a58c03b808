const { exec } = require('child_process');

function run(command, name) {
  arguments[1] = process.argv[2];
  exec(arguments[0]); // ok: command-injection
}
run('ls', 'a');
