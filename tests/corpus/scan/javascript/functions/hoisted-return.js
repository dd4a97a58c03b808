const { exec } = require('child_process');

const command = read();
exec(command); // sink: command-injection argv

function read() {
  return process.argv[2]; // source: argv
}
