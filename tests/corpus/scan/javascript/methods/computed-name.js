const { exec } = require('child_process');

const name = 'run';
const shell = {
  [name](command) {
    exec(command); // sink: command-injection argv
  },
};

shell.run(process.argv[2]); // source: argv
