const { exec } = require('child_process');

const clean = {
  command: 'ls',
  start() {
    exec(this.command); // ok: command-injection
  },
};
const tainted = { command: process.argv[2] };

clean.start();
module.exports = tainted;
