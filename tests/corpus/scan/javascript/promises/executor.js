const { exec } = require('child_process');

new Promise((resolve) => {
  setTimeout(() => resolve(process.argv[2]), 1); // source: argv
}).then((command) => exec(command)); // sink: command-injection argv
