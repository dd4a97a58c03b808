// scan: sources=library
'use strict';
var has = Object.prototype.hasOwnProperty;

module.exports = function extend() {
  var deep = false;
  var i = 0;
  var target = arguments[0];
  if (typeof target === 'boolean') {
    deep = target;
    target = arguments[1] || {};
    i = 1;
  }
  for (i++; i < arguments.length; i++) {
    var options = arguments[i];
    if (options == null) continue;
    for (var name in options) {
      if (!has.call(options, name) || name === '__proto__') continue;
      var src = target[name];
      var copy = options[name];
      if (deep && copy && typeof copy === 'object') {
        target[name] = extend(deep, src && typeof src === 'object' ? src : {}, copy);
      } else if (copy !== undefined) {
        target[name] = copy;
      }
    }
  }
  return target;
};
