// scan: sources=library
const forIn = require('for-in');

function merge(target, source) {
  forIn(source, (value, key) => {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') return;
    if (typeof value === 'object' && target[key]) {
      merge(target[key], value);
    } else {
      target[key] = value; // ok: prototype-pollution
    }
  });
  return target;
}

module.exports = merge;
