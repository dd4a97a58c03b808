// scan: sources=library
const { exec } = require('child_process');

exports.__defineGetter__('list', function () {
  return function (folder) { // source: folder
    exec('ls ' + folder); // sink: command-injection folder
  };
});
