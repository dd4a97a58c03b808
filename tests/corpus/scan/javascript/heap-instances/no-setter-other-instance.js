const { exec } = require('child_process');

class Box {
  set(value) {
    this.value = value;
  }
}

const tainted = new Box();
const clean = new Box();
tainted.set(process.argv[2]);
clean.set('ls');
exec(clean.value); // ok: command-injection
