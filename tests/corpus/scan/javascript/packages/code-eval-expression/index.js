// scan: sources=library
'use strict';

module.exports = function evaluate(expression, scope) { // source: a
  var names = Object.keys(scope || {});
  var values = names.map(function (name) {
    return scope[name];
  });
  var body = 'return (' + expression + ');';
  return Function.apply(null, names.concat(body)).apply(null, values); // sink: code-injection a
};
