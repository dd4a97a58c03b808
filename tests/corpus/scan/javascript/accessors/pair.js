const { exec } = require('child_process');

class Task {
  get command() {
    return this._command;
  }
  set command(value) {
    this._command = value.trim();
  }
}

const task = new Task();
task.command = process.argv[2]; // source: argv
exec(task.command); // sink: command-injection argv
