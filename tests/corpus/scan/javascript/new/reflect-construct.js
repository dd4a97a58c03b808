const { exec } = require('child_process');

class Task {
  constructor(command) {
    exec(command); // sink: command-injection argv
  }
}

Reflect.construct(Task, [process.argv[2]]); // source: argv
