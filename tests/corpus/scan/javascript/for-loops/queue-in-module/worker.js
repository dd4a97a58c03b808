const { execSync } = require('child_process');
const queue = require('./queue');

exports.drain = () => {
  for (const { line } of queue) {
    execSync(line); // sink: command-injection argv
  }
};
