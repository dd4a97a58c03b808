const { exec } = require('child_process');

Promise.resolve(process.argv[2])
  .then((text) => (text.length > 3 ? 'ls' : 'pwd'))
  .then((command) => exec(command)); // ok: command-injection
