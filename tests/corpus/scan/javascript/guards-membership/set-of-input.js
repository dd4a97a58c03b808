const { exec } = require('child_process');

const allowed = new Set(process.argv.slice(3));

function isAllowed(text) {
  return allowed.has(text);
}

const command = process.argv[2]; // source: argv
if (isAllowed(command)) exec(command); // sink: command-injection argv
