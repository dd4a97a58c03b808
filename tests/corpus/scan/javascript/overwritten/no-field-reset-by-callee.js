const { exec } = require('child_process');

function reset(options) {
  options.command = 'ls';
}

const options = { command: process.argv[2] };
console.log(options.command);
reset(options);
exec(options.command); // ok: command-injection
