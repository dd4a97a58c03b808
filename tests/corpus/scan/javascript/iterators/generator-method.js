const { exec } = require('child_process');

class Commands {
  constructor(list) {
    this.list = list;
  }
  *[Symbol.iterator]() {
    yield* this.list;
  }
}

for (const command of new Commands(process.argv)) { // source: argv
  exec(command); // sink: command-injection argv
}
