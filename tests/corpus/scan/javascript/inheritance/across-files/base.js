const { exec } = require('child_process');

module.exports = class Base {
  start() {
    exec(this.command()); // sink: command-injection argv
  }
};
