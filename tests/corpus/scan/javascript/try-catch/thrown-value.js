const { exec } = require('child_process');

try {
  throw process.argv[2]; // source: argv
} catch (command) {
  exec(command); // sink: command-injection argv
}
