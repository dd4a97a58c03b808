// scan: sources=library
exports.assign = function assign(target, patch) {
  for (const [key, value] of Object.entries(patch)) {
    switch (key) {
      case '__proto__':
      case 'constructor':
      case 'prototype':
        continue;
      default:
    }
    if (value && typeof value === 'object' && !Array.isArray(value)) {
      if (!target[key]) target[key] = {};
      assign(target[key], value);
    } else {
      target[key] = value;
    }
  }
  return target;
};
