const { exec } = require('child_process');

function list(directory, title) {
  exec('ls ' + directory); // ok: command-injection
  return title;
}

module.exports = { list };
