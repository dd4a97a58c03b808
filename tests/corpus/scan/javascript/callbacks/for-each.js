const { exec } = require('child_process');

process.argv.slice(2).forEach((command) => { // source: argv
  exec(command); // sink: command-injection argv
});
