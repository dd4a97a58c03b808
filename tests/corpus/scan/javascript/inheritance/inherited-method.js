const { exec } = require('child_process');

class Base {
  run(command) {
    exec(command); // sink: command-injection argv
  }
}
class Derived extends Base {}

new Derived().run(process.argv[2]); // source: argv
