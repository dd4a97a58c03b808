const { exec } = require('child_process');

function run(options, command = process.argv[2]) { // source: argv
  exec(command, options); // sink: command-injection argv
}

run({ cwd: '/tmp' });
