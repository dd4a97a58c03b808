// scan: sources=library
const { exec } = require('child_process');

module.exports = function kill(port) { // source: port
  if (!port) return Promise.reject(new Error('no port'));
  return exec('fuser -k ' + port + '/tcp'); // sink: command-injection port
};
