const { exec } = require('child_process');

function run({ shell: { command = process.argv[2] } = {} }) { // source: argv
  exec(command); // sink: command-injection argv
}

run({});
