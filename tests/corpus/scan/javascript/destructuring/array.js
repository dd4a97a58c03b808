const { exec } = require('child_process');

const [, , command] = process.argv; // source: argv
exec(command); // sink: command-injection argv
