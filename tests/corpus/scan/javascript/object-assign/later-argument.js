const { exec } = require('child_process');

function run(options) {
  exec(options.command); // sink: command-injection argv
}

run(Object.assign({}, { command: 'ls' }, { command: process.argv[2] })); // source: argv
