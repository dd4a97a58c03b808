const { exec } = require('child_process');

class Task {
  constructor(name, command) {
    this.name = name;
    this.command = command;
  }
  start() {
    exec(this.command); // sink: command-injection argv
  }
}

exports.Task = Task;
