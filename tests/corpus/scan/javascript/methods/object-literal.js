const { exec } = require('child_process');

const shell = {
  run(command) {
    exec(command); // sink: command-injection argv
  },
};

shell.run(process.argv[2]); // source: argv
