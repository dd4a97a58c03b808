const { exec } = require('child_process');

class Commands {
  constructor(list) {
    this.list = list;
  }
  [Symbol.iterator]() {
    let position = 0;
    const list = this.list;
    return {
      next() {
        return position < list.length ? { value: list[position++], done: false } : { value: undefined, done: true };
      },
    };
  }
}

for (const command of new Commands(process.argv)) { // source: argv
  exec(command); // sink: command-injection argv
}
