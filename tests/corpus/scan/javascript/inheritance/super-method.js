const { exec } = require('child_process');

class Base {
  prepare(command) {
    return command.trim();
  }
}
class Derived extends Base {
  prepare(command) {
    return super.prepare(command) + ' -l';
  }
}

exec(new Derived().prepare(process.argv[2])); // source: argv // sink: command-injection argv
