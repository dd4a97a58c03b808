const { exec } = require('child_process');

function sh(strings, value) {
  exec(strings.join('')); // ok: command-injection
  return value;
}

sh`ls ${process.argv[2]}`;
