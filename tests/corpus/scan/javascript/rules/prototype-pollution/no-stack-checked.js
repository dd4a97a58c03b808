// scan: sources=library
const isUnsafe = (key) => key === '__proto__' || key === 'constructor' || key === 'prototype';

module.exports = function extend(target, source) {
  const stack = [{ to: target, from: source }];
  while (stack.length) {
    const { to, from } = stack.pop();
    for (const key of Object.keys(from)) {
      if (isUnsafe(key)) continue;
      if (typeof from[key] === 'object') {
        to[key] = to[key] || {};
        stack.push({ to: to[key], from: from[key] });
      } else {
        to[key] = from[key]; // ok: prototype-pollution
      }
    }
  }
};
