const { exec } = require('child_process');

module.exports = {
  size: (text) => text.length,
  run: (command) => exec(command), // sink: command-injection argv
};
