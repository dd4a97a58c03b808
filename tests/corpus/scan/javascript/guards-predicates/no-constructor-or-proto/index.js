// scan: sources=library
function isConstructorOrProto(obj, key) {
  return (key === 'constructor' && typeof obj[key] === 'function') || key === '__proto__';
}

exports.set = function set(target, keys, value) {
  let o = target;
  for (let i = 0; i < keys.length - 1; i++) {
    const key = keys[i];
    if (isConstructorOrProto(o, key)) return;
    if (o[key] === undefined) o[key] = {};
    o = o[key];
  }
  const last = keys[keys.length - 1];
  if (isConstructorOrProto(o, last)) return;
  o[last] = value; // ok: prototype-pollution
};
