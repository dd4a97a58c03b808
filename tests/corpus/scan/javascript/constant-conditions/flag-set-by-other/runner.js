const { exec } = require('child_process');
const flags = require('./flags');

exports.run = (line) => {
  if (flags.debug) {
    exec(line); // sink: command-injection argv
  }
};
