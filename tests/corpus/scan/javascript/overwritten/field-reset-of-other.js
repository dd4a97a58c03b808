const { exec } = require('child_process');

function reset(options) {
  options.command = 'ls';
}

const options = { command: process.argv[2] }; // source: argv
const other = { command: 'pwd' };
reset(other);
exec(options.command); // sink: command-injection argv
