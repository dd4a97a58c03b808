// scan: sources=library
exports.assign = function assign(target, patch) { // source: a
  for (const [key, value] of Object.entries(patch)) {
    if (value && typeof value === 'object' && !Array.isArray(value)) {
      if (!target[key]) target[key] = {};
      assign(target[key], value);
    } else {
      target[key] = value; // sink: prototype-pollution a
    }
  }
  return target;
};
