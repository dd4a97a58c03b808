// scan: sources=library
module.exports = function copy(source) {
  const target = {};
  for (const key of Object.keys(source)) {
    target[key] = source[key]; // ok: prototype-pollution
  }
  return target;
};
