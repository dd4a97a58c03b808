const { execSync } = require('child_process');

exports.run = function run(command) {
  execSync('ls'); // ok: command-injection
  return command.length;
};
