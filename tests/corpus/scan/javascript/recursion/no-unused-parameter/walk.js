const { exec } = require('child_process');

function walk(n, title, command) {
  if (n === 0) exec(command); // ok: command-injection
  else walk(n - 1, title, command);
}

exports.walk = walk;
