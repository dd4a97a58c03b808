// scan: sources=library
var childProcess = require('child_process');
var Q = require('q');

module.exports.run = function (file, args, options) {
  var deferred = Q.defer();
  childProcess.execFile(file, args, options, function (error, stdout, stderr) {
    if (error) deferred.reject(new Error(stderr));
    else deferred.resolve(stdout);
  });
  return deferred.promise;
};
