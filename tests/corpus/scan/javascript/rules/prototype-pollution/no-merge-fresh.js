// scan: sources=library
function clone(source) {
  const copy = {};
  for (const key of Object.keys(source)) {
    if (key === '__proto__') continue;
    copy[key] = typeof source[key] === 'object' ? clone(source[key]) : source[key]; // ok: prototype-pollution
  }
  return copy;
}
module.exports = clone;
