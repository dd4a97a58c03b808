// scan: sources=library
'use strict';
var execFile = require('child_process').execFile;

module.exports = function (filepath, cb) {
  if (typeof filepath !== 'string') throw new Error('filepath must be a string');
  execFile('file', ['--mime-type', '-b', filepath], function (err, stdout) {
    if (err) return cb(err);
    cb(null, stdout.trim());
  });
};
