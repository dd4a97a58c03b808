const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
if (input.length < 100) {
  exec(input); // sink: command-injection argv
}
