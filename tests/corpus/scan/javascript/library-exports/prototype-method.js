// scan: sources=library
const { exec } = require('child_process');

function Shell() {}
Shell.prototype.run = function (command, callback) { // source: command
  exec(command, callback); // sink: command-injection command
};

module.exports = Shell;
