const { exec } = require('child_process');

const task = {};
Object.defineProperty(task, 'command', {
  get() {
    return process.argv[2]; // source: argv
  },
});
exec(task.command); // sink: command-injection argv
