const { exec } = require('child_process');

class Task {
  #command = 'ls';
  set command(value) {
    this.#command = value;
  }
  get command() {
    return this.#command;
  }
}

function configure(task, value) {
  task.command = value;
}

const task = new Task();
configure(task, process.argv[2]); // source: argv
exec(task.command); // sink: command-injection argv
