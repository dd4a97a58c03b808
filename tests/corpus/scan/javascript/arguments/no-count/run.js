const { exec } = require('child_process');

module.exports = function () {
  exec('head -n ' + arguments.length); // ok: command-injection
};
