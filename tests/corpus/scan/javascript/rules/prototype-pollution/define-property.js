// scan: sources=library
module.exports = function mix(target, source) { // source: source
  for (const key of Object.keys(source)) {
    if (typeof target[key] === 'object') mix(target[key], source[key]);
    else Object.defineProperty(target, key, { value: source[key], writable: true }); // sink: prototype-pollution source
  }
  return target;
};
