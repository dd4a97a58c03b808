const { exec } = require('child_process');

function run(command) {
  if (command === 'ls') {
    return;
  }
  exec(command); // sink: command-injection argv
}

run(process.argv[2]); // source: argv
