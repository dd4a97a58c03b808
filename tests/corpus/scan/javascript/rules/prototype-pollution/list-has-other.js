// scan: sources=library
function walk(object, keys) {
  for (const key of keys) object = object[key];
  return object;
}

module.exports = (object, path, other, value) => { // source: path
  const parts = path.split('.');
  const others = other.split('.');
  if (others.includes('__proto__') || others.includes('constructor')) return;
  const last = parts.pop();
  walk(object, parts)[last] = value; // sink: prototype-pollution path
};
