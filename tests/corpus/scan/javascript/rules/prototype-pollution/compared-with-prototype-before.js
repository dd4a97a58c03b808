// scan: sources=library
exports.set = function (object, keys, value) { // source: keys
  let at = object;
  for (let i = 0; i < keys.length - 1; i++) {
    if (at === Object.prototype) return;
    at = at[keys[i]];
  }
  at[keys[keys.length - 1]] = value; // sink: prototype-pollution keys
};

exports.array = function (object, group, name, value) { // source: group
  if (object[group] === Array.prototype) return;
  object[group][name] = value; // sink: prototype-pollution group
};

exports.parent = function merge(a, b) { // source: merged
  for (const key in b) {
    if (a[key] === Object.getPrototypeOf(a)) continue;
    if (a[key] && typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // sink: prototype-pollution merged
  }
};
