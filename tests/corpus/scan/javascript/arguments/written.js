const { exec } = require('child_process');

function run(command) {
  arguments[0] = process.argv[2]; // source: argv
  exec(arguments[0]); // sink: command-injection argv
}
run('ls');
