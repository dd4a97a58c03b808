const { exec } = require('child_process');

const task = {
  command: process.argv[2], // source: argv
  start() {
    exec(this.command); // sink: command-injection argv
  },
};

task.start();
