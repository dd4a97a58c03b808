const { exec } = require('child_process');

class Options {
  get command() {
    return process.argv[2]; // source: argv
  }
}

exec(new Options().command); // sink: command-injection argv
