const { exec } = require('child_process');

class Shell {
  static #last = 'ls';
  static remember(command) {
    Shell.#last = command;
  }
  static repeat() {
    exec(Shell.#last); // sink: command-injection argv
  }
}

Shell.remember(process.argv[2]); // source: argv
Shell.repeat();
