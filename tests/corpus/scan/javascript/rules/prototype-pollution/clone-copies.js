// scan: sources=library
exports.clone = function clone(source) {
  const result = {};
  for (const key in source) {
    const value = source[key];
    result[key] = typeof value === 'object' ? clone(value) : value; // ok: prototype-pollution
  }
  return result;
};
