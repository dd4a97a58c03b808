// scan: sources=library
var compiled = {};

exports.getter = function (path) { // source: a
  if (!compiled[path]) {
    compiled[path] = new Function('o', 'return o.' + path); // sink: code-injection a
  }
  return compiled[path];
};
