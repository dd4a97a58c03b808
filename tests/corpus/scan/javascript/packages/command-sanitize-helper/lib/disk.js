// scan: sources=library
var exec = require('child_process').exec;
var clean = require('./util').clean;

function usage(drive, callback) { // source: a
  return new Promise(function (resolve) {
    process.nextTick(function () {
      var name = clean(drive);
      exec('df -kP ' + name, function (error, stdout) { // sink: command-injection a
        if (callback) callback(stdout);
        resolve(stdout);
      });
    });
  });
}

exports.usage = usage;
