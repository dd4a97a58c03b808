// scan: sources=library
const forIn = require('for-in');

function mixinDeep(target, objects) { // source: parameter
  for (let i = 1; i < arguments.length; i++) {
    forIn(arguments[i], copy, target);
  }
  return target;
}

function copy(value, key) {
  const own = this[key];
  if (typeof value === 'object' && typeof own === 'object') {
    mixinDeep(own, value);
  } else {
    this[key] = value; // sink: prototype-pollution parameter
  }
}
module.exports = mixinDeep;
