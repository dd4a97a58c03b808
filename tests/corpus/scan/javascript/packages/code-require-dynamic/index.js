// scan: sources=library
exports.load = function (name, opts) { // source: a
  var Plugin = require(name); // sink: code-injection a
  return new Plugin(opts);
};
