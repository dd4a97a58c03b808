const { exec } = require('child_process');

function list(directory) {
  exec('ls ' + directory); // sink: command-injection argv
}

module.exports = { list };
