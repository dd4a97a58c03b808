const { exec } = require('child_process');

let command = process.argv[2]; // source: argv
try {
  JSON.parse(command);
  command = 'ls';
} catch {
  // The input stays as it is.
}
exec(command); // sink: command-injection argv
