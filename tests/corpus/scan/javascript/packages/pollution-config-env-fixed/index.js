// scan: sources=library
var store = new Map();

function resolve(section) {
  if (!store.has(section)) store.set(section, new Map());
  return store.get(section);
}

exports.set = function (section, name, value) {
  var node = resolve(section);
  node.set(name, value);
};

exports.get = function (section, name) {
  return resolve(section).get(name);
};
