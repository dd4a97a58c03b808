// scan: sources=library
const { reserved, table } = require('./names');

exports.set = function (object, group, name, value) {
  if (reserved.has(group) || reserved.has(name)) return;
  object[group][name] = value; // ok: prototype-pollution
};

exports.put = function (object, group, name, value) {
  if (table[group]) return;
  object[group][name] = value; // ok: prototype-pollution
};
