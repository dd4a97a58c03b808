const { execSync } = require('child_process');

module.exports = {
  start() {
    execSync('ls'); // ok: command-injection
  },
};
