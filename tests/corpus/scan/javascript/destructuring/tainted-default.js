const { exec } = require('child_process');

function run({ command = process.argv[2] } = {}) { exec(command); } // source: argv // sink: command-injection argv
run({});
