// scan: sources=library
module.exports = function extend(target, source) { // source: source
  const queue = [[target, source]];
  while (queue.length) {
    const [to, from] = queue.shift();
    for (const [key, value] of Object.entries(from)) {
      if (value && typeof value === 'object') {
        to[key] = to[key] || {};
        queue.push([to[key], value]);
      } else {
        to[key] = value; // sink: prototype-pollution source
      }
    }
  }
  return target;
};
