const { exec } = require('child_process');

Promise.resolve(process.argv[2]) // source: argv
  .catch(() => 'ls')
  .finally(() => {})
  .then((command) => exec(command)); // sink: command-injection argv
