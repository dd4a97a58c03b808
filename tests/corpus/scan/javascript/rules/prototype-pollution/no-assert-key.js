// scan: sources=library
function assertKey(key) {
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
    throw new Error('Cannot set unsafe key: "' + key + '"');
  }
}
exports.set = function set(target, path, value) {
  const keys = path.split('.');
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    assertKey(key);
    if (i === keys.length - 1) {
      target[key] = value; // ok: prototype-pollution
      return;
    }
    target = target[key];
  }
};
