const { exec } = require('child_process');

function command(options) {
  return options?.command ?? 'ls';
}

exec(command({ title: process.argv[2] })); // ok: command-injection
