const { exec } = require('child_process');

class Task {
  constructor(command) {
    this.command = command;
  }
}

const tainted = new Task(process.argv[2]);
const clean = new Task('ls');
exec(clean.command); // ok: command-injection
module.exports = tainted;
