// scan: sources=library
var childProcess = require('child_process');
var Q = require('q');

module.exports.run = function (command, options) {
  var deferred = Q.defer();
  childProcess.exec(command, options, function (error, stdout, stderr) { // sink: command-injection a
    if (error) deferred.reject(new Error(stderr));
    else deferred.resolve(stdout);
  });
  return deferred.promise;
};
