const { exec } = require('child_process');

class Shell {
  run(text) {
    this.#execute('echo ' + text);
  }
  #execute(command) {
    exec(command); // sink: command-injection argv
  }
}

new Shell().run(process.argv[2]); // source: argv
