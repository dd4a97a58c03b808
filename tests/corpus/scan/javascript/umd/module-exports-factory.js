// scan: sources=library
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define([], factory);
  } else if (typeof module === 'object' && module.exports) {
    module.exports = factory();
  } else {
    root.tool = factory();
  }
}(typeof self !== 'undefined' ? self : this, function () {
  function run(command) { // source: parameter
    require('child_process').exec(command); // sink: command-injection parameter
  }
  return { run: run };
}));
