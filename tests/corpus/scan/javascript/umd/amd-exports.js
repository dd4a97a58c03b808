// scan: sources=library
(function (root, factory) {
  if (typeof define === 'function' && define.amd) define(['exports'], factory);
  else if (typeof exports !== 'undefined') factory(exports);
  else factory((root.tool = {}));
})(this, function (exports) {
  const { exec } = require('child_process');
  exports.run = function (command) { // source: parameter
    exec(command); // sink: command-injection parameter
  };
});
