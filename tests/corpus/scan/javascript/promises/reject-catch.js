const { exec } = require('child_process');

Promise.reject(new Error(process.argv[2])) // source: argv
  .catch((error) => exec(error.message)); // sink: command-injection argv
