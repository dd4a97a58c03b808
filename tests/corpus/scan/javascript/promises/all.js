const { exec } = require('child_process');

Promise.all([Promise.resolve('/tmp'), Promise.resolve(process.argv[2])]) // source: argv
  .then(([cwd, command]) => exec(command, { cwd })); // sink: command-injection argv
