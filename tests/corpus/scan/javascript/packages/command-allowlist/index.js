// scan: sources=library
var cp = require('child_process');

exports.install = function (names, opts, cb) { // source: a
  var list = Array.isArray(names) ? names : [names];
  var cmd = 'npm install';
  list.forEach(function (name) {
    cmd += ' ' + name;
  });
  if (opts.global) cmd += ' -g';
  return cp.exec(cmd, cb); // sink: command-injection a
};
