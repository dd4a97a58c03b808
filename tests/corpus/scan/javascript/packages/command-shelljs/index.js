// scan: sources=library
'use strict';
const shell = require('shelljs');

module.exports = class Repo {
  constructor(opts) {
    this.url = opts.url;
  }

  clone(dir, branch) { // source: a
    let command = `git clone --depth 1 ${this.url}`;
    if (branch) {
      command = `${command} -b ${branch}`;
    }
    return shell.exec(`${command} ${dir}`, { silent: true }); // sink: command-injection a
  }
};
