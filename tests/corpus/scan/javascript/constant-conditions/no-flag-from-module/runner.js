const { exec } = require('child_process');
const { RELEASE } = require('./flags');

exports.createRunner = (options) => (line) => {
  if (!RELEASE) {
    return exec(line, options); // ok: command-injection
  }
  return exec('make release', options);
};
