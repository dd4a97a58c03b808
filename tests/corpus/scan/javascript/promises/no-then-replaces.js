// A function for the value replaces it.
const { exec } = require('child_process');

Promise.resolve(process.argv[2])
  .then(() => 'ls', () => 'pwd')
  .then(null, () => 'pwd')
  .then((command) => exec(command)); // ok: command-injection
