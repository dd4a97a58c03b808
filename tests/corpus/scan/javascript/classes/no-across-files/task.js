const { exec } = require('child_process');

exports.Task = class Task {
  constructor(name, command) {
    this.name = name;
    this.command = command;
  }
  start() {
    exec(this.command); // ok: command-injection
  }
};
