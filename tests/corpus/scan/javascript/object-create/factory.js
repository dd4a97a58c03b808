const { exec } = require('child_process');

const proto = {
  init(command) {
    this.command = command;
    return this;
  },
};

function create(command) {
  return Object.create(proto).init(command);
}

exec(create(process.argv[2]).command); // source: argv // sink: command-injection argv
