const { exec } = require('child_process');

class Shell {
  constructor(command) {
    this.command = command;
  }
  start() {
    exec(this.command); // sink: command-injection argv
  }
}
class Quiet {
  constructor(text) {
    this.size = text.length;
  }
  start() {}
}

const kinds = { shell: Shell, quiet: Quiet };
exports.create = (kind, text) => new kinds[kind](text);
