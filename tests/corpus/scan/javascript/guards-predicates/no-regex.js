const { exec } = require('child_process');

function isSafe(name) {
  return /^[a-z]+$/.test(name);
}

const name = process.argv[2];
if (isSafe(name)) exec('ls ' + name); // ok: command-injection
