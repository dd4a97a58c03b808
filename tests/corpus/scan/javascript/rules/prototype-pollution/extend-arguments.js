// scan: sources=library
module.exports = function extend() { // source: source
  const target = arguments[0];
  for (let i = 1; i < arguments.length; i++) {
    const source = arguments[i];
    for (const name in source) {
      const copy = source[name];
      if (copy && typeof copy === 'object') {
        target[name] = extend(target[name] || {}, copy); // sink: prototype-pollution source
      } else {
        target[name] = copy; // sink: prototype-pollution source
      }
    }
  }
  return target;
};
