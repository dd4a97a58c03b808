const { exec } = require('child_process');

function run(options) {
  exec(options.command); // ok: command-injection
}
const options = {};
options.command = process.argv[2];
options.command = 'uptime';
run(options);
