const { exec } = require('child_process');

class Shell {
  static run(command) {
    exec(command); // sink: command-injection argv
  }
}

Shell.run(process.argv[2]); // source: argv
