// scan: sources=library
const { exec } = require('child_process');

module.exports = function kill(port) {
  port = Number.parseInt(port, 10);
  if (!port) return Promise.reject(new Error('no port'));
  return exec('fuser -k ' + port + '/tcp'); // ok: command-injection
};
