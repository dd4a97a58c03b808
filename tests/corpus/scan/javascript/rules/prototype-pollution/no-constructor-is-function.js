// scan: sources=library
function isSafe(object, key) {
  if (key === 'constructor' && typeof object[key] === 'function') return false;
  if (key == '__proto__') return false;
  return true;
}

function isConstructorOrProto(object, key) {
  return (key === 'constructor' && typeof object[key] === 'function') || key === '__proto__';
}

exports.merge = function merge(a, b) {
  for (const key in b) {
    if (!isSafe(a, key)) continue;
    if (a[key] && typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // ok: prototype-pollution
  }
};

exports.set = function (object, keys, value) {
  let at = object;
  for (let i = 0; i < keys.length - 1; i++) {
    const key = keys[i];
    if (isConstructorOrProto(at, key)) return;
    at = at[key];
  }
  at[keys[keys.length - 1]] = value; // ok: prototype-pollution
};

exports.direct = function (object, group, name, value) {
  if (group === '__proto__' || (group === 'constructor' && typeof object[group] === 'function')) return;
  object[group][name] = value; // ok: prototype-pollution
};
