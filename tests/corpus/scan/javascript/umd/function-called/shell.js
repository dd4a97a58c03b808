(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['child_process'], factory);
  } else if (typeof module === 'object' && module.exports) {
    module.exports = factory(require('child_process'));
  } else {
    root.shell = factory(root.cp);
  }
})(this, function (cp) {
  return {
    run: function (command) {
      cp.exec(command); // sink: command-injection argv
    },
  };
});
