// scan: sources=library
const spawn = require('cross-spawn');

class Runner {
  constructor(cwd) {
    this.cwd = cwd;
  }

  run(script, args = []) {
    return new Promise((resolve, reject) => {
      const child = spawn('npm', ['run', script, ...args], { cwd: this.cwd });
      child.once('error', reject);
      child.once('exit', resolve);
    });
  }
}

module.exports = Runner;
