const { exec } = require('child_process');

const command = process.argv[2];
function run() {
  const command = 'ls';
  exec(command); // ok: command-injection
}
run();
module.exports = command.length;
