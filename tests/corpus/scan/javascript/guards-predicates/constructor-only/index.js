// scan: sources=library
function isConstructor(obj, key) {
  return (key === 'constructor' && typeof obj[key] === 'function') || key === 'prototype';
}

exports.set = function set(target, keys, value) { // source: keys
  let o = target;
  for (let i = 0; i < keys.length - 1; i++) {
    const key = keys[i];
    if (isConstructor(o, key)) return;
    if (o[key] === undefined) o[key] = {};
    o = o[key];
  }
  const last = keys[keys.length - 1];
  if (isConstructor(o, last)) return;
  o[last] = value; // sink: prototype-pollution keys
};
