const { execSync } = require('child_process');

class Repository {
  constructor(folder) {
    this.folder = folder;
  }

  static assertName(name) {
    if (!/^[A-Za-z0-9._]+$/.test(name)) throw new TypeError('name');
  }

  checkout(branch) {
    Repository.assertName(branch);
    execSync(`git checkout ${branch}`, { cwd: this.folder }); // ok: command-injection
  }
}

new Repository('/srv').checkout(process.argv[2]);
