// scan: sources=library
'use strict';
const shell = require('shelljs');
const quote = require('shell-quote').quote;

module.exports = class Repo {
  constructor(opts) {
    this.url = opts.url;
  }

  clone(dir, branch) {
    let command = ['git', 'clone', '--depth', '1', this.url];
    if (branch) {
      command = command.concat(['-b', branch]);
    }
    return shell.exec(quote(command.concat(dir)), { silent: true });
  }
};
