module.exports = {
  reserved: new Set(['__proto__', 'constructor', 'prototype']),
  table: { ['__proto__']: true, constructor: true, prototype: true },
};
