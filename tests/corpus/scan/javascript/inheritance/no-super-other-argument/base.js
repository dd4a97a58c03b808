const { exec } = require('child_process');

module.exports = class Base {
  constructor(name, command) {
    this.name = name;
    this.command = command;
  }
  start() {
    exec(this.command); // ok: command-injection
  }
};
