const { exec } = require('child_process');

exports.list = (directory, callback) => { // source: directory
  exec('ls ' + directory, callback); // sink: command-injection directory
};
