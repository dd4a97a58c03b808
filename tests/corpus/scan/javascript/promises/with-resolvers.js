const { exec } = require('child_process');

const { promise, resolve } = Promise.withResolvers();
promise.then((value) => exec(value)); // sink: command-injection argv
resolve(process.argv[2]); // source: argv
