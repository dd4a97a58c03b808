const { exec } = require('child_process');

Promise.resolve(process.argv[2]) // source: argv
  .then((text) => {
    throw new Error(text);
  })
  .catch((error) => exec(error.message)); // sink: command-injection argv
