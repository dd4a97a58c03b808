// scan: sources=library
var async = require('async');
var execFile = require('child_process').execFile;
var fs = require('fs');

exports.thumbnail = function (opts, callback) {
  async.waterfall([
    function (next) {
      fs.stat('cache', function (err) { next(null, err ? 'tmp' : 'cache'); });
    },
    function (dir, next) {
      execFile('convert', [opts.source, '-thumbnail', '100x100', dir + '/out.png'], next);
    }
  ], callback);
};
