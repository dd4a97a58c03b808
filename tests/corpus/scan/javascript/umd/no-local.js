// scan: sources=library
(function (root, factory) {
  if (typeof define === 'function' && define.amd) define(['exports'], factory);
  else if (typeof exports !== 'undefined') factory(exports);
  else factory((root.tool = {}));
})(this, function (exports) {
  const { exec } = require('child_process');
  function local(command) {
    exec(command); // ok: command-injection
  }
  exports.list = function () {
    local('ls');
  };
});
