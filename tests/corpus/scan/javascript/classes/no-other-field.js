const { exec } = require('child_process');

class Task {
  constructor(name, command) {
    this.name = name;
    this.command = command;
  }
  start() {
    exec(this.command); // ok: command-injection
  }
}

new Task(process.argv[2], 'ls').start();
