const { exec } = require('child_process');

class Base {
  start() {
    return this.command();
  }
}
class Input extends Base {
  command() {
    return process.argv[2];
  }
}
class Fixed extends Base {
  command() {
    return 'ls';
  }
}

const fixed = new Fixed();
exec(fixed.command()); // ok: command-injection
module.exports = new Input();
