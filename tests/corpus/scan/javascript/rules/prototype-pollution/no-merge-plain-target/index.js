// scan: sources=library
const { isPlainObject } = require('./plain');

function extend(target, source) {
  Object.keys(source).forEach((key) => {
    if (key === '__proto__') return;
    if (isPlainObject(target[key]) && isPlainObject(source[key])) extend(target[key], source[key]);
    else target[key] = source[key]; // ok: prototype-pollution
  });
  return target;
}
module.exports = extend;
