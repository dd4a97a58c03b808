// scan: sources=library
const { exec } = require('child_process');

class Git {
  constructor(options) { // source: options
    this.program = options.program;
  }
  status() {
    exec(this.program + ' status'); // sink: command-injection options
  }
}

exports.Git = Git;
