const { exec } = require('child_process');

class Task {
  #command = 'ls';
  constructor(command) {
    this.command = command;
  }
  start() {
    exec(this.#command); // ok: command-injection
  }
}

new Task(process.argv[2]).start();
