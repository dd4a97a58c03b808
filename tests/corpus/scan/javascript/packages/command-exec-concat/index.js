// scan: sources=library
'use strict';
var exec = require('child_process').exec;

module.exports = function (filepath, cb) { // source: a
  if (typeof filepath !== 'string') throw new Error('filepath must be a string');
  exec('file --mime-type -b ' + filepath, function (err, stdout) { // sink: command-injection a
    if (err) return cb(err);
    cb(null, stdout.trim());
  });
};
