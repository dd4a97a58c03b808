const { exec } = require('child_process');

class Box {
  set(value) {
    this.value = value;
  }
  get() {
    return this.value;
  }
}

const tainted = new Box();
const clean = new Box();
tainted.set(process.argv[2]); // source: argv
clean.set('pwd');
exec(tainted.get()); // sink: command-injection argv
