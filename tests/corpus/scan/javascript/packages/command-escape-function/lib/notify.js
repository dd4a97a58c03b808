// scan: sources=library
var cp = require('child_process');

module.exports = notify;

function notify(title, options, fn) { // source: a
  options = options || {};
  fn = fn || function () {};
  var args = ['notify-send', quote(title)];
  if (options.message) args.push(quote(options.message));
  if (options.icon) args = args.concat(['-i', quote(options.icon)]);
  cp.exec(args.join(' '), fn); // sink: command-injection a
}

function quote(text) {
  return '"' + text + '"';
}
