const { exec } = require('child_process');

class Task {
  #name;
  #command;
  constructor(name, command) {
    this.#name = name;
    this.#command = command;
  }
  start() {
    exec(this.#command); // ok: command-injection
    return this.#name;
  }
}

new Task(process.argv[2], 'ls').start();
