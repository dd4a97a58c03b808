// scan: sources=library
const { exec } = require('child_process');

module.exports = function list(directory) { // source: directory
  exec('ls ' + directory); // sink: command-injection directory
};
