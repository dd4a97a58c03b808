const { exec } = require('child_process');

const iterator = [process.argv[2]][Symbol.iterator](); // source: argv
exec(iterator.next().value); // sink: command-injection argv
