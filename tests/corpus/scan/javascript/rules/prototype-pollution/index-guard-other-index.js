// scan: sources=library
function walk(object, path, name, value) { // source: path
  const keys = path.split('.');
  for (let i = 0; i < keys.length - 1; i++) {
    if (keys[i] === '__proto__' || keys[i] === 'constructor') return;
    i++;
    object = object[keys[i]];
  }
  object[name] = value; // sink: prototype-pollution path
}
module.exports = walk;
