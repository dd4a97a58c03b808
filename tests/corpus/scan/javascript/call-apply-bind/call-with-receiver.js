const { exec } = require('child_process');
function run(command) { exec(this.prefix + command); } // sink: command-injection argv
run.call({ prefix: 'ls ' }, process.argv[2]); // source: argv
