const { exec } = require('child_process');

Promise.resolve(process.argv[2]).then((command) => { // source: argv
  exec(command); // sink: command-injection argv
});
