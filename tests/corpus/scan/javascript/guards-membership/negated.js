const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
if (!['rm', 'dd'].includes(input)) {
  exec(input); // sink: command-injection argv
}
