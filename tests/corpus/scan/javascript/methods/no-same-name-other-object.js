const { exec } = require('child_process');

const shell = {
  run(command) {
    exec(command); // ok: command-injection
  },
};
const counter = {
  run(text) {
    return text.length;
  },
};

counter.run(process.argv[2]);
shell.run('ls');
