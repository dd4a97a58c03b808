// Without a function for the value, `then` passes the value on.
const { exec } = require('child_process');

Promise.resolve(process.argv[2]) // source: argv
  .then(null, () => 'ls')
  .then(undefined, () => 'ls')
  .then((command) => exec(command)); // sink: command-injection argv
