// scan: sources=library
'use strict';
exports.version = '1.0.0';

exports.open = function open(target, appName, callback) { // source: a
  var opener;
  if (typeof appName === 'function') {
    callback = appName;
    appName = null;
  }
  switch (process.platform) {
    case 'darwin':
      opener = appName ? 'open -a "' + escape(appName) + '"' : 'open';
      break;
    default:
      opener = appName ? escape(appName) : 'xdg-open';
  }
  return require('child_process').exec(opener + ' "' + escape(target) + '"', callback); // sink: command-injection a
};

function escape(s) {
  return s.replace(/"/g, '\\"');
}
