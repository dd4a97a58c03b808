const { exec } = require('child_process');

function split(text) {
  return ['ls', text];
}

const [program, argument] = split(process.argv[2]);
exec(program); // ok: command-injection
module.exports = argument;
