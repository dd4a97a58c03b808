// scan: sources=library
const { execSync } = require('child_process');
const { isValidName } = require('./valid');

module.exports = function info(name) {
  if (!isValidName(name)) {
    throw new Error('no name: ' + name);
  }
  return execSync('npm view ' + name); // ok: command-injection
};
