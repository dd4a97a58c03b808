// scan: sources=library
'use strict';

module.exports = function evaluate(expression, scope) {
  var parts = String(expression).split('.');
  var value = scope;
  for (var i = 0; i < parts.length; i++) {
    if (value == null) return undefined;
    value = value[parts[i]];
  }
  return value;
};
