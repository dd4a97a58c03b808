const { exec } = require('child_process');

class Task {
  command = process.argv[2]; // source: argv
  start() {
    exec(this.command); // sink: command-injection argv
  }
}

new Task().start();
