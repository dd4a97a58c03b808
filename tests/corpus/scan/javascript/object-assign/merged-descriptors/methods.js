const { exec } = require('child_process');

exports.list = function (folder) { // source: folder
  exec('ls ' + folder); // sink: command-injection folder
};
