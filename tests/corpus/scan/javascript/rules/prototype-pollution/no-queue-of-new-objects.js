// scan: sources=library
module.exports = function copy(source) {
  const result = {};
  const queue = [{ to: result, from: source }];
  while (queue.length) {
    const { to, from } = queue.shift();
    for (const key of Object.keys(from)) {
      if (typeof from[key] === 'object') {
        const made = {};
        to[key] = made;
        queue.push({ to: made, from: from[key] });
      } else {
        to[key] = from[key]; // ok: prototype-pollution
      }
    }
  }
  return result;
};
