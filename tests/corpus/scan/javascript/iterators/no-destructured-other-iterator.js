const { exec } = require('child_process');

class Commands {
  constructor(list) {
    this.list = list;
  }
  *[Symbol.iterator]() {
    yield* ['ls', 'pwd'];
  }
}

const [first] = new Commands(process.argv);
exec(first); // ok: command-injection
