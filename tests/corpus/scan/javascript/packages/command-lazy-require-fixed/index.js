// scan: sources=library
'use strict';
exports.version = '1.0.1';

exports.open = function open(target, appName, callback) {
  var args = [target];
  if (typeof appName === 'function') {
    callback = appName;
    appName = null;
  }
  if (process.platform !== 'darwin') return require('child_process').execFile('xdg-open', args, callback);
  if (appName) args = ['-a', appName].concat(args);
  return require('child_process').execFile('open', args, callback);
};
