const fs = require("node:fs");
const path = require("node:path");

class Album {
  constructor(folder) {
    this.folder = folder;
  }

  pathOf(id) {
    return path.join(this.folder, `${id}.jpg`);
  }

  read(name) {
    return fs.readFileSync(path.join(this.folder, name));
  }
}

module.exports = { Album };
