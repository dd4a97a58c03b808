const { exec } = require('child_process');

function run(options) {
  exec(options.command); // sink: command-injection argv
}
const options = {};
options.command = process.argv[2]; // source: argv
const copy = { ...options };
options.command = 'uptime';
run(options);
run(copy);
