const { exec } = require('child_process');

function isSafe(name) {
  return /^[a-z]+$/.test(name);
}

const input = process.argv[2]; // source: argv
if (!isSafe(input)) exec(input); // sink: command-injection argv
