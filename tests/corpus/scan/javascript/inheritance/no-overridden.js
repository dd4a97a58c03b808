const { exec } = require('child_process');

class Base {
  run(command) {
    exec(command); // ok: command-injection
  }
}
class Quiet extends Base {
  run(command) {
    return command.length;
  }
}

new Quiet().run(process.argv[2]);
new Base().run('ls');
