const { exec } = require('child_process');

Promise.resolve(process.argv[2]) // source: argv
  .finally(() => 'ls')
  .then((command) => exec(command)); // sink: command-injection argv
