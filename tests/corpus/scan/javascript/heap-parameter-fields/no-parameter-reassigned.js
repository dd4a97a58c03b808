const { exec } = require('child_process');

function fill(options, value) {
  options = {};
  options.command = value;
  return options.command.length;
}

const options = { command: 'ls' };
fill(options, process.argv[2]);
exec(options.command); // ok: command-injection
