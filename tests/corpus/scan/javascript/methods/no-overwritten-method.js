const { exec } = require('child_process');

const shell = {
  run(command) {
    exec(command); // ok: command-injection
  },
};
shell.run = () => exec('ls');
console.log(process.argv[2]);
shell.run(process.argv[2]);
