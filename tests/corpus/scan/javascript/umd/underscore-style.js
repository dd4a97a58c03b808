// scan: sources=library
(function () {
  var root = this;
  var tool = function (command) { // source: parameter
    require('child_process').exec(command); // sink: command-injection parameter
  };
  if (typeof exports !== 'undefined') {
    if (typeof module !== 'undefined' && module.exports) {
      exports = module.exports = tool;
    }
    exports.tool = tool;
  } else {
    root.tool = tool;
  }
}.call(this));
