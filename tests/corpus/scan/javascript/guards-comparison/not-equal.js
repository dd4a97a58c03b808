const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
if (input !== 'rm') {
  exec(input); // sink: command-injection argv
}
