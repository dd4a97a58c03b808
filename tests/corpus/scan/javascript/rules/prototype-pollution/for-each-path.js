// scan: sources=library
module.exports = function set(object, path, value) { // source: path
  const parts = path.split('.');
  const last = parts.pop();
  parts.forEach((part) => {
    if (!object[part]) object[part] = {};
    object = object[part];
  });
  object[last] = value; // sink: prototype-pollution path
};
