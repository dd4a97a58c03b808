const { exec } = require('child_process');

class Task {
  constructor(command) {
    this.stored = command;
  }
  get command() {
    return this.stored.length > 3 ? 'ls' : 'pwd';
  }
}

function command(task) {
  return task.command;
}

exec(command(new Task(process.argv[2]))); // ok: command-injection
