// scan: sources=library
const { exec } = require('child_process');
class Git {
  constructor(path) { this.path = path; } // source: parameter
  log() { return new Promise((resolve) => exec('git -C ' + this.path, resolve)); } // sink: command-injection parameter
}
module.exports = (path) => new Git(path);
module.exports.Git = Git;
