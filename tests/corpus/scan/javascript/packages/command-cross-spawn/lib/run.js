// scan: sources=library
const spawn = require('cross-spawn');

class Runner {
  constructor(cwd) {
    this.cwd = cwd;
  }

  run(script, args = []) { // source: a
    return new Promise((resolve, reject) => {
      const child = spawn('npm', ['run', script, ...args], { cwd: this.cwd, shell: true }); // sink: command-injection a
      child.once('error', reject);
      child.once('exit', resolve);
    });
  }
}

module.exports = Runner;
