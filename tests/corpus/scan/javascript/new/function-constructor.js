const { exec } = require('child_process');

function Task(command) {
  this.command = command;
}

const task = new Task(process.argv[2]); // source: argv
exec(task.command); // sink: command-injection argv
