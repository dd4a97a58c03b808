const { exec } = require('child_process');

let command = 'ls';
function configure() {
  command = process.argv[2]; // source: argv
}
configure();
exec(command); // sink: command-injection argv
