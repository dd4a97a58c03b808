const { exec } = require('child_process');

module.exports = {
  start() {
    exec(this.command); // ok: command-injection
  },
};
