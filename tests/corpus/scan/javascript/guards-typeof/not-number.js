const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
if (typeof input !== 'number') {
  exec('kill ' + input); // sink: command-injection argv
}
