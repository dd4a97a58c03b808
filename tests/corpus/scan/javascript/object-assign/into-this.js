const { exec } = require('child_process');

class Task {
  constructor(options) {
    Object.assign(this, options);
  }
  start() {
    exec(this.command); // sink: command-injection argv
  }
}

new Task({ command: process.argv[2] }).start(); // source: argv
