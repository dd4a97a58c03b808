const { exec } = require('child_process');

function Task(command) {
  this.command = command;
}
Task.prototype = {
  constructor: Task,
  start: function () {
    exec(this.command); // sink: command-injection argv
  },
};

new Task(process.argv[2]).start(); // source: argv
