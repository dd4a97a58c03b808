const { exec } = require('child_process');

class Builder {
  constructor() {
    this.parts = '';
  }
  add(part) {
    this.parts += part;
    return this;
  }
  build() {
    return this.parts;
  }
}

exec(new Builder().add('ls ').add(process.argv[2]).build()); // source: argv // sink: command-injection argv
