const { exec } = require('child_process');

function later(command) {
  return () => exec(command); // sink: command-injection argv
}

later(process.argv[2])(); // source: argv
