// scan: sources=library
module.exports = function (input) { // source: a
  var expr = input.replace(/\s+/g, '');
  return eval(expr); // sink: code-injection a
};
