// scan: sources=library
var compiled = {};
var IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

exports.getter = function (path) {
  if (!IDENTIFIER.test(path)) throw new Error('invalid path');
  if (!compiled[path]) {
    compiled[path] = new Function('o', 'return o.' + path);
  }
  return compiled[path];
};
