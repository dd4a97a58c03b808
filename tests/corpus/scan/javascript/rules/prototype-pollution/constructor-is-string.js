// scan: sources=library
function isSafe(object, key) {
  if (key === 'constructor' && typeof object[key] === 'string') return false;
  if (key === '__proto__') return false;
  return true;
}

exports.merge = function merge(a, b) { // source: merged
  for (const key in b) {
    if (!isSafe(a, key)) continue;
    if (a[key] && typeof b[key] === 'object') merge(a[key], b[key]);
    else a[key] = b[key]; // sink: prototype-pollution merged
  }
};

exports.set = function (object, group, name, value) { // source: group
  if (group === 'constructor' && typeof object[group] === 'function') return;
  object[group][name] = value; // sink: prototype-pollution group
};
