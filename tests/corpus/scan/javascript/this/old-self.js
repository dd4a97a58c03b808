const { exec } = require('child_process');

function Task(command) {
  const self = this;
  self.command = command;
  this.later = function () {
    exec(self.command); // sink: command-injection argv
  };
}

const later = new Task(process.argv[2]).later; // source: argv
later();
