const { exec } = require('child_process');

const shell = {
  set command(value) {
    exec(value); // ok: command-injection
  },
  set title(value) {
    this.size = value.length;
  },
};

shell.title = process.argv[2];
shell.command = 'ls';
