const { exec } = require('child_process');

module.exports = function (command) {
  return command.length;
  exec(command); // ok: command-injection
};
