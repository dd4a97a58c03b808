// scan: sources=library
'use strict';

exports.set = (obj, path, value) => {
  const keys = [].concat(path);
  let i = -1;
  let nested = obj;
  while (nested != null && ++i < keys.length) {
    const key = String(keys[i]);
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
      return obj;
    }
    let next = value;
    if (i !== keys.length - 1) {
      const current = nested[key];
      next = current && typeof current === 'object' ? current : {};
    }
    nested[key] = next;
    nested = nested[key];
  }
  return obj;
};
