const { execSync } = require('child_process');

module.exports = {
  start() {
    return execSync(`systemctl start ${this.unit}`); // sink: command-injection argv
  },
};
