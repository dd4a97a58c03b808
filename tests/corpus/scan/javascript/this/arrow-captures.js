const { exec } = require('child_process');

class Task {
  constructor(command) {
    this.command = command;
    this.start = () => exec(this.command); // sink: command-injection argv
  }
}

const { start } = new Task(process.argv[2]); // source: argv
start();
