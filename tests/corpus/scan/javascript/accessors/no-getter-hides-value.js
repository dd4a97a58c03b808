const { exec } = require('child_process');

class Task {
  set command(value) {
    this.length = value.length;
  }
  get command() {
    return 'ls';
  }
}

const task = new Task();
task.command = process.argv[2];
exec(task.command); // ok: command-injection
