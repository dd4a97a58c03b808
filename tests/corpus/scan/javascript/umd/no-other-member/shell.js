(function (root, factory) {
  if (typeof define === 'function' && define.amd) define(['child_process'], factory);
  else if (typeof exports === 'object') module.exports = factory(require('child_process'));
  else root.shell = factory(root.cp);
})(this, function (cp) {
  return {
    size: function (text) {
      return text.length;
    },
    run: function (command) {
      cp.exec(command); // ok: command-injection
    },
  };
});
