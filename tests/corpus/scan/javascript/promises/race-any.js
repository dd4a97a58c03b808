const { exec } = require('child_process');

Promise.any([Promise.resolve(process.argv[2])]).then((first) => exec(first)); // source: argv // sink: command-injection argv
