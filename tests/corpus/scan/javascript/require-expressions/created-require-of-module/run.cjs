const { execSync } = require('child_process');

exports.run = function run(command) {
  execSync(command); // sink: command-injection argv
};
