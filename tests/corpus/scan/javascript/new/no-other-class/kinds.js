const { exec } = require('child_process');

exports.Shell = class {
  constructor(command) {
    this.command = command;
  }
  start() {
    exec(this.command); // ok: command-injection
  }
};
exports.Quiet = class {
  constructor(command) {
    this.command = command;
  }
  start() {
    return this.command.length;
  }
};
