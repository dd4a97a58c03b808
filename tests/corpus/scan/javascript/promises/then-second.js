const { exec } = require('child_process');

Promise.reject(process.argv[2]).then( // source: argv
  () => exec('ls'),
  (reason) => exec(reason) // sink: command-injection argv
);
