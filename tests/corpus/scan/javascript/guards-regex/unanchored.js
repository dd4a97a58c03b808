const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
if (/[a-z]+/.test(input)) {
  exec(input); // sink: command-injection argv
}
