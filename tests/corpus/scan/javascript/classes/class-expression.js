const { exec } = require('child_process');

const Runner = class {
  run = (command) => {
    exec(command); // sink: command-injection argv
  };
};

const { run } = new Runner();
run(process.argv[2]); // source: argv
