// scan: sources=library
function check(path) {
  path.forEach(function (key) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
      throw new TypeError('forbidden key');
    }
  });
}

function put(root, path, value) {
  check(path);
  var current = root;
  var i;
  for (i = 0; i < path.length - 1; i++) {
    current[path[i]] = current[path[i]] || {};
    current = current[path[i]];
  }
  current[path[i]] = value;
}

exports.put = put;
