const { exec } = require('child_process');

Promise.resolve(process.argv[2])
  .finally((command = 'ls') => exec(command)) // ok: command-injection
  .catch(() => {});
