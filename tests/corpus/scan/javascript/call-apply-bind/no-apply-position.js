const { exec } = require('child_process');
function run(title, command) { exec(command); } // ok: command-injection
run.apply(null, [process.argv[2], 'ls']);
run.call(null, process.argv[2], 'ls');
