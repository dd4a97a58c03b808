const { exec } = require('child_process');

function reset(options) {
  if (options.safe) options.command = 'ls';
}

const options = { command: process.argv[2] }; // source: argv
reset(options);
exec(options.command); // sink: command-injection argv
