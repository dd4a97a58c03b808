const { exec } = require('child_process');

module.exports = {
  command: 'ls',
  setCommand(command) {
    this.command = command;
  },
  start() {
    exec(this.command); // sink: command-injection argv
  },
};
