const { exec } = require('child_process');

function make(command) {
  return () => command;
}

const a = make(process.argv[2]);
const b = make('ls');
exec(b()); // ok: command-injection
module.exports = a;
