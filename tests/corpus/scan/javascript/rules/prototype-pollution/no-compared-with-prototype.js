// scan: sources=library
exports.merge = function merge(a, b) {
  if (a === Object.prototype || a === Function.prototype) return a;
  Object.keys(b).forEach(function (key) {
    if (b[key] && typeof b[key] === 'object') a[key] = merge(a[key] || {}, b[key]); // ok: prototype-pollution
    else a[key] = b[key]; // ok: prototype-pollution
  });
  return a;
};

exports.set = function (object, keys, value) {
  let at = object;
  for (let i = 0; i < keys.length - 1; i++) {
    const key = keys[i];
    if (at[key] === undefined) at[key] = {};
    if (at[key] === Object.prototype || at[key] === Number.prototype) at[key] = {};
    at = at[key];
  }
  const last = keys[keys.length - 1];
  if (at === Object.prototype) at = {};
  at[last] = value; // ok: prototype-pollution
};

exports.parent = function merge(a, b) {
  for (const key in b) {
    if (a[key] === Object.getPrototypeOf(a) || key === 'constructor') continue;
    if (a[key] && typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // ok: prototype-pollution
  }
};

exports.chosen = function (object, group, name, value) {
  if (object[group] === Object.prototype || object[group] === Object) throw new Error('forbidden');
  object[group][name] = value; // ok: prototype-pollution
};
