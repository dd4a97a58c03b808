// scan: sources=library
const util = require('util');
const { exec } = require('child_process');

function Shell() {}

util._extend(Shell.prototype, {
  list: function (folder) { // source: folder
    exec('ls ' + folder); // sink: command-injection folder
  },
});

module.exports = Shell;
