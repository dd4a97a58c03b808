const fs = require('fs');

exports.Templates = class {
  constructor(root) {
    this.root = root;
    this.cache = new Map();
  }

  load(name) {
    if (!this.cache.has(name)) {
      this.cache.set(name, fs.readFileSync(this.root + '/' + name + '.md', 'utf8')); // sink: path-traversal topic
    }
    return this.cache.get(name);
  }
};
