// scan: sources=library
// Tables with keys from outside, whose stores do not reach a prototype.

// The key has a prefix, so it is no name of a prototype.
exports.addEdge = function (table, from, to, weight) {
  const id = '_node' + from;
  const node = table[id] || (table[id] = {});
  node[to] = weight; // ok: prototype-pollution
  return table;
};

// A copy of the elements is a new array.
exports.replaceAt = function (lists, name, index, value) {
  const copy = lists[name].slice();
  copy[index] = value; // ok: prototype-pollution
  return copy;
};

// The same without prefix and without copy.
exports.addWeight = function (table, from, to, weight) { // source: pair
  const node = table[from] || (table[from] = {});
  node[to] = weight; // sink: prototype-pollution pair
  return table;
};

exports.setPath = function (root, path, value) { // source: path
  const [group, name] = ('data.' + path).split('.').slice(1);
  const target = root[group];
  target[name] = value; // sink: prototype-pollution path
};
