// scan: sources=library
exports.setIn = function setIn(root, path, value) { // source: a
  var node = root;
  for (var i = 0, n = path.length - 1; i < n; ++i) {
    var step = path[i];
    if (!(step in node)) node[step] = {};
    node = node[step];
  }
  node[path[n]] = value; // sink: prototype-pollution a
  return root;
};
