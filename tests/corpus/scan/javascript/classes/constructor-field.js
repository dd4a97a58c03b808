const { exec } = require('child_process');

class Task {
  constructor(command) {
    this.command = command;
  }
  start() {
    exec(this.command); // sink: command-injection argv
  }
}

new Task(process.argv[2]).start(); // source: argv
