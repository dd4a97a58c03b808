// scan: sources=library
exports.set = function (object, path, value) { // source: path
  const keys = path.split('.');
  for (let i = 0; i < keys.length - 1; i++) {
    if (keys[i] === '__proto__' || keys[i] === 'constructor') return;
    keys[i] = keys[i].trim();
    object = object[keys[i]];
  }
  object[keys[keys.length - 1]] = value; // sink: prototype-pollution path
};
