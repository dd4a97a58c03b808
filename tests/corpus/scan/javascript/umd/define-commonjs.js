// scan: sources=library
define(function (require, exports, module) {
  const cp = require('child_process');
  exports.run = function (command) { // source: parameter
    cp.exec(command); // sink: command-injection parameter
  };
});
