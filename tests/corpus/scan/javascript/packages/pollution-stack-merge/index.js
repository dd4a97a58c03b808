// scan: sources=library
export function assignDeep(target, source) { // source: a
  const queue = [[target, source]];
  while (queue.length) {
    const [to, from] = queue.shift();
    for (const key of Object.keys(from)) {
      if (from[key] && typeof from[key] === 'object') {
        if (!to[key]) to[key] = {};
        queue.push([to[key], from[key]]);
      } else {
        to[key] = from[key]; // sink: prototype-pollution a
      }
    }
  }
  return target;
}
