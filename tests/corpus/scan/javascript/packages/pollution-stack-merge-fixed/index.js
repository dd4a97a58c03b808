// scan: sources=library
const blocked = new Set(['__proto__', 'constructor', 'prototype']);

export function assignDeep(target, source) {
  const queue = [[target, source]];
  while (queue.length) {
    const [to, from] = queue.shift();
    for (const key of Object.keys(from)) {
      if (blocked.has(key)) continue;
      if (from[key] && typeof from[key] === 'object') {
        if (!to[key]) to[key] = {};
        queue.push([to[key], from[key]]);
      } else {
        to[key] = from[key];
      }
    }
  }
  return target;
}
