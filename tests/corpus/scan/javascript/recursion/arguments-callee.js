// scan: sources=library
module.exports = function (target, source) { // source: source
  for (var key in source) {
    if (typeof target[key] === 'object') arguments.callee(target[key], source[key]);
    else target[key] = source[key]; // sink: prototype-pollution source
  }
  return target;
};
