const { exec } = require('child_process');

module.exports = class Task {
  constructor(command) {
    this.command = command;
  }
  start() {
    exec(this.command); // sink: command-injection argv
  }
};
