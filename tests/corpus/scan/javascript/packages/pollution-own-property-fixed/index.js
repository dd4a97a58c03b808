// scan: sources=library
var hasOwn = Object.prototype.hasOwnProperty;

exports.setIn = function setIn(root, path, value) {
  var node = root;
  for (var i = 0, n = path.length - 1; i < n; ++i) {
    var step = path[i];
    if (!hasOwn.call(node, step)) return false;
    node = node[step];
  }
  node[path[n]] = value;
  return root;
};
