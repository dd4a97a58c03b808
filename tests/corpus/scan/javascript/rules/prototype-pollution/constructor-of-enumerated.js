// scan: sources=library
// The keys come from a function that nothing is known of: `constructor` leads to prototypes too.
const forIn = require('for-in');

function merge(target, source) { // source: source
  forIn(source, (value, key) => {
    if (key === '__proto__') return;
    if (typeof value === 'object' && target[key]) {
      merge(target[key], value);
    } else {
      target[key] = value; // sink: prototype-pollution source
    }
  });
  return target;
}

module.exports = merge;
