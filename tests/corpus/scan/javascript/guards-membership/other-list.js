const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
if (['ls', 'pwd'].includes(process.argv[3])) {
  exec(input); // sink: command-injection argv
}
