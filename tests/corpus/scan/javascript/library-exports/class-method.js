// scan: sources=library
const { exec } = require('child_process');

class Git {
  clone(url) { // source: url
    exec('git clone ' + url); // sink: command-injection url
  }
}

module.exports = Git;
