const { exec } = require('child_process');

function run(first, ...rest) { exec(first); exec(rest[0]); } // sink: command-injection argv
run(process.argv[2], 'ls'); // source: argv
