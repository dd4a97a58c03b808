// scan: sources=library
const _ = require('lodash');
const BLOCK = { ['__proto__']: true, constructor: true, prototype: true };
const PLAIN = { constructor: 1, prototype: 1 };
const NAMES = new Map([['__proto__', 1], ['constructor', 1], ['prototype', 1]]);

exports.truth = function merge(a, b) {
  for (const key in b) {
    if (BLOCK[key]) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // ok: prototype-pollution
  }
};

exports.plain = function merge(a, b) {
  for (const key in b) {
    if (PLAIN[key]) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // ok: prototype-pollution
  }
};

exports.equal = function merge(a, b) {
  for (const key in b) {
    if (BLOCK[key] === true) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // ok: prototype-pollution
  }
};

exports.map = function merge(a, b) {
  for (const key in b) {
    if (NAMES.has(key)) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // ok: prototype-pollution
  }
};

exports.lodash = function merge(a, b) {
  for (const key in b) {
    if (_.includes(['__proto__', 'constructor', 'prototype'], key)) continue;
    if (typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // ok: prototype-pollution
  }
};
