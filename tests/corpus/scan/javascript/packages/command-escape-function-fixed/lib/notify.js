// scan: sources=library
var cp = require('child_process');

module.exports = notify;

function notify(title, options, fn) {
  options = options || {};
  fn = fn || function () {};
  var args = ['notify-send', quote(title)];
  if (options.message) args.push(quote(options.message));
  if (options.icon) args = args.concat(['-i', quote(options.icon)]);
  cp.exec(args.join(' '), fn);
}

function quote(text) {
  return "'" + String(text).replace(/'/g, "'\\''") + "'";
}
