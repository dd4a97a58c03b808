const { exec } = require('child_process');

function run(options) {
  exec(options.command); // ok: command-injection
}

const given = { command: process.argv[2] };
run(Object.assign({}, given, { command: 'ls' }));
