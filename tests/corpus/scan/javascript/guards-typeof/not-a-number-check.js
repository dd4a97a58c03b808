const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
if (isNaN(input)) {
  exec('kill ' + input); // sink: command-injection argv
}
