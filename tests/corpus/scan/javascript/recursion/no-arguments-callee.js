// scan: sources=library
module.exports = function (target, source) {
  for (var key in source) {
    if (typeof target[key] === 'object') arguments.callee({}, source[key]);
    else target[key] = source[key]; // ok: prototype-pollution
  }
  return target;
};
