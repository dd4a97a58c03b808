const { exec } = require('child_process');

Promise.all([Promise.resolve('ls'), Promise.resolve(process.argv[2])])
  .then(([command, title]) => exec(command)); // ok: command-injection
