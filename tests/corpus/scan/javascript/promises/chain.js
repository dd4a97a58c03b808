const { exec } = require('child_process');

Promise.resolve(process.argv[2]) // source: argv
  .then((text) => text.trim())
  .then((text) => Promise.resolve('ls ' + text))
  .then((line) => exec(line)); // sink: command-injection argv
