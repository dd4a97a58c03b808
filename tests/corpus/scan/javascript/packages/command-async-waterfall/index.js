// scan: sources=library
var async = require('async');
var exec = require('child_process').exec;
var fs = require('fs');

exports.thumbnail = function (opts, callback) { // source: a
  async.waterfall([
    function (next) {
      fs.stat('cache', function (err) { next(null, err ? 'tmp' : 'cache'); });
    },
    function (dir, next) {
      var cmd = 'convert ' + opts.source + ' -thumbnail 100x100 ' + dir + '/out.png';
      exec(cmd, next); // sink: command-injection a
    }
  ], callback);
};
