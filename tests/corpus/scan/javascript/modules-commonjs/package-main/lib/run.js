const { exec } = require('child_process');

module.exports = run;

function run(command) {
  exec(command); // sink: command-injection argv
}
