const { exec } = require('child_process');

const shell = {
  set command(value) {
    exec(value); // sink: command-injection argv
  },
};

shell.command = process.argv[2]; // source: argv
