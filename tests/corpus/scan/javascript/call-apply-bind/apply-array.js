const { exec } = require('child_process');
function run(prefix, command) { exec(prefix + command); } // sink: command-injection argv
run.apply(null, ['ls ', process.argv[2]]); // source: argv
