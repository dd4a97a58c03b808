const { exec } = require('child_process');

class Commands {
  constructor(list) {
    this.list = list;
  }
  *[Symbol.iterator]() {
    yield* this.list;
  }
}

const [first] = new Commands(process.argv); // source: argv
exec(first); // sink: command-injection argv
