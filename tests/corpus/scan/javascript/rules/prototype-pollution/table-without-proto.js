// scan: sources=library
const BARE = Object.assign(Object.create(null), { toString: true });
const TOKENS = { constructor: true, prototype: true };
const OFF = { ['__proto__']: false, constructor: true };
const NAMES = new Map([['toString', 1], ['valueOf', 1]]);

exports.bare = function merge(a, b) { // source: first
  for (const key in b) {
    if (BARE[key]) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // sink: prototype-pollution first
  }
};

exports.equal = function merge(a, b) { // source: second
  for (const key in b) {
    if (TOKENS[key] === true) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // sink: prototype-pollution second
  }
};

exports.map = function merge(a, b) { // source: third
  for (const key in b) {
    if (NAMES.has(key)) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // sink: prototype-pollution third
  }
};

exports.off = function merge(a, b) { // source: fourth
  for (const key in b) {
    if (OFF[key] === true) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // sink: prototype-pollution fourth
  }
};
