const { exec } = require('child_process');

function run() {
  exec(arguments[0]); // sink: command-injection argv
}

run(process.argv[2]); // source: argv
