const cp = require('child_process');

exports.run = function (command) {
  cp.exec(command); // sink: command-injection argv
};
