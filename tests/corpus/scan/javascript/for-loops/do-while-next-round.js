const { exec } = require('child_process');

let x = 'ls', i = 0;
do { exec(x); x = process.argv[2]; } while (i++ < 2); // source: argv // sink: command-injection argv
