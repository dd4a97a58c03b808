const { exec } = require('child_process');

module.exports = function start() {
  exec(this.command); // sink: command-injection argv
};
