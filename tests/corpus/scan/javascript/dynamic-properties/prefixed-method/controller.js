const { execSync } = require('child_process');

module.exports = class Controller {
  onShow({ unit }) {
    return String(execSync('journalctl -u ' + unit)); // sink: command-injection query
  }

  onClear() {
    return String(execSync('journalctl --rotate'));
  }
};
