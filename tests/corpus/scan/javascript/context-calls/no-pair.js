const { exec } = require('child_process');

function pick(first, second) {
  return first || second;
}

exec(pick('ls', 'pwd')); // ok: command-injection
module.exports = pick(process.argv[2], 'ls');
