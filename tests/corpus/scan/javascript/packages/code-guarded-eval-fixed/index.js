// scan: sources=library
module.exports = function (input) {
  var expr = input.replace(/\s+/g, '');
  if (!/^[\d+*\/.()-]+$/.test(expr)) {
    throw new SyntaxError('Invalid expression');
  }
  return eval(expr);
};
