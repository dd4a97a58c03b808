const { exec } = require('child_process');

class Base {
  constructor(command) {
    this.command = command;
  }
}
class Derived extends Base {
  constructor(command) {
    super('nice ' + command);
  }
  start() {
    exec(this.command); // sink: command-injection argv
  }
}

new Derived(process.argv[2]).start(); // source: argv
