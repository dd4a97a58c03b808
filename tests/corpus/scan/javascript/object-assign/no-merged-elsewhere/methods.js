const { exec } = require('child_process');

exports.list = function (folder) {
  exec('ls ' + folder); // ok: command-injection
};
