// scan: sources=library
var store = {};

function resolve(section, create) {
  var parts = section.split(':');
  var node = store;
  for (var i = 0; i < parts.length; i++) {
    if (!node[parts[i]] && create) node[parts[i]] = {};
    node = node[parts[i]];
  }
  return node;
}

exports.set = function (section, name, value) { // source: a
  var node = resolve(section, true);
  node[name] = value; // sink: prototype-pollution a
};

exports.get = function (section, name) {
  return resolve(section, false)[name];
};
