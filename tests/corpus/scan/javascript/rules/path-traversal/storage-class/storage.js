const fs = require('fs/promises');
const path = require('path');

exports.Storage = class {
  constructor(root) {
    this.root = root;
  }

  resolve(name) {
    return path.join(this.root, name);
  }

  read(name) {
    return fs.readFile(this.resolve(name)); // sink: path-traversal name
  }
};
