// scan: sources=library
var cp = require('child_process');

var VALID = /^(?:@[a-z0-9-]+\/)?[a-z0-9._-]+$/i;

exports.install = function (names, opts, cb) {
  var list = Array.isArray(names) ? names : [names];
  var cmd = 'npm install';
  for (var i = 0; i < list.length; i++) {
    if (!VALID.test(list[i])) return cb(new Error('invalid package name: ' + list[i]));
    cmd += ' ' + list[i];
  }
  if (opts.global) cmd += ' -g';
  return cp.exec(cmd, cb);
};
