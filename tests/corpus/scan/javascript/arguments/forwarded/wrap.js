const { exec } = require('child_process');

function run(command) {
  exec(command); // sink: command-injection argv
}

module.exports = function () {
  return run.apply(null, arguments);
};
