// scan: sources=library
const { isForbidden } = require('./keys');

function extend(target, source) { // source: extend
  Object.keys(source).forEach((key) => {
    if (isForbidden(key)) return;
    if (source[key] instanceof Object && target[key] instanceof Object) extend(target[key], source[key]);
    else target[key] = source[key]; // sink: prototype-pollution extend
  });
  return target;
}
module.exports = extend;
