const { exec } = require('child_process');

const shell = {
  show(text) {
    return text.length;
  },
  run(command) {
    exec(command); // ok: command-injection
  },
};

shell.show(process.argv[2]);
shell.run('ls');
