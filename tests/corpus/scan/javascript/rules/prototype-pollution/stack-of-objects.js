// scan: sources=library
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

module.exports = function extend(target, source) { // source: source
  const stack = [{ to: target, from: source }];
  while (stack.length) {
    const { to, from } = stack.pop();
    for (const key of Object.keys(from)) {
      if (isObject(from[key])) {
        to[key] = to[key] || {};
        stack.push({ to: to[key], from: from[key] });
      } else {
        to[key] = from[key]; // sink: prototype-pollution source
      }
    }
  }
};
