const { exec } = require('child_process');

class Job {
  start() {
    exec(this.command()); // sink: command-injection argv
  }
}
class InputJob extends Job {
  command() {
    return process.argv[2]; // source: argv
  }
}

new InputJob().start();
