// scan: sources=library
function put(root, path, value) { // source: a
  var current = root;
  var i;
  for (i = 0; i < path.length - 1; i++) {
    current[path[i]] = current[path[i]] || {};
    current = current[path[i]];
  }
  current[path[i]] = value; // sink: prototype-pollution a
}

exports.put = put;
