const { exec } = require('child_process');

module.exports = function start() {
  exec(this.command); // ok: command-injection
};
