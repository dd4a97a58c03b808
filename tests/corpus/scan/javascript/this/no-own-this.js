const { exec } = require('child_process');

const task = {
  command: process.argv[2],
  start() {
    const inner = {
      command: 'ls',
      run() {
        exec(this.command); // ok: command-injection
      },
    };
    inner.run();
  },
};

task.start();
