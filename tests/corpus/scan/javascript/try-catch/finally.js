const { exec } = require('child_process');

let command = 'ls';
try {
  command = process.argv[2]; // source: argv
  JSON.parse(command);
} finally {
  exec(command); // sink: command-injection argv
}
