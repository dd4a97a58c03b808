const { execSync } = require('child_process');

const KINDS = new Set(['build', 'test']);

class Job {
  constructor(kind, target) {
    this.kind = kind;
    this.target = target;
  }

  validate() {
    if (!KINDS.has(this.kind)) throw new TypeError('kind');
    return this;
  }

  run() {
    execSync(`make ${this.kind} TARGET=${this.target}`); // sink: command-injection argv
  }
}

new Job(process.argv[2], process.argv[3]).validate().run(); // source: argv
