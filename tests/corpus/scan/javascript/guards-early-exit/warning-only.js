const { exec } = require('child_process');

function run(command) {
  if (!['ls', 'pwd'].includes(command)) {
    process.exitCode = 1;
  }
  exec(command); // sink: command-injection argv
}

run(process.argv[2]); // source: argv
