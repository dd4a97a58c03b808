// scan: sources=library
'use strict';

exports.set = (obj, path, value) => { // source: a
  const keys = [].concat(path);
  let i = -1;
  let nested = obj;
  while (nested != null && ++i < keys.length) {
    const key = String(keys[i]);
    let next = value;
    if (i !== keys.length - 1) {
      const current = nested[key];
      next = current && typeof current === 'object' ? current : {};
    }
    nested[key] = next; // sink: prototype-pollution a
    nested = nested[key];
  }
  return obj;
};
