const { execSync } = require('child_process');

class Release {
  static from([name, { tag, notes }]) {
    return new Release(tag, { name, notes });
  }

  constructor(tag, { name }) {
    this.tag = tag;
    this.name = name;
  }

  publish() {
    execSync(`git tag ${this.tag}`); // ok: command-injection
  }
}

Release.from([process.argv[2], { tag: 'v1.0.0', notes: process.argv[3] }]).publish();
