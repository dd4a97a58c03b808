// scan: sources=library
const { exec } = require('child_process');

module.exports = function kill(pid) {
  if (isNaN(pid)) throw new TypeError('no number');
  return exec('kill ' + pid); // ok: command-injection
};
