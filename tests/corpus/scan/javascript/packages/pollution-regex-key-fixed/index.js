// scan: sources=library
'use strict';
const assign = (node, key, value) => {
  const match = /^([^.[\]]+)[.[](.+)$/.exec(key);
  if (match) {
    node[match[1]] = node[match[1]] || {};
    assign(node[match[1]], match[2], value);
    return;
  }
  node[key] = value;
};

module.exports = (flat) => {
  const out = {};
  for (const key of Object.keys(flat)) {
    if (/__proto__|constructor|prototype/.test(key)) continue;
    assign(out, key, flat[key]);
  }
  return out;
};
