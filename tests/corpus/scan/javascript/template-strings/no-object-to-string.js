const { exec } = require('child_process');

class Command {
  constructor(name, title) {
    this.name = name;
    this.title = title;
  }
  toString() {
    return this.name + ' -l';
  }
}

const command = new Command('ls', process.argv[2]);
exec('' + command); // ok: command-injection
