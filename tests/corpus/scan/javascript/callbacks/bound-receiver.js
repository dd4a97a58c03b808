const { exec } = require('child_process');

class Runner {
  constructor(command) {
    this.command = command;
    this.run = this.run.bind(this);
  }
  run() {
    exec(this.command); // sink: command-injection argv
  }
}

const runner = new Runner(process.argv[2]); // source: argv
setImmediate(runner.run);
