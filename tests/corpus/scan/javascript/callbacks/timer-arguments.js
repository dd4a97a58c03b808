const { exec } = require('child_process');

setTimeout((command) => {
  exec(command); // sink: command-injection argv
}, 10, process.argv[2]); // source: argv
