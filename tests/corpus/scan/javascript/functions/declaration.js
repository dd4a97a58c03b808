const { exec } = require('child_process');

function run(command) {
  exec(command); // sink: command-injection argv
}

run(process.argv[2]); // source: argv
