// scan: sources=library
const bad = ['__proto__', 'constructor', 'prototype'];

module.exports = (object, path, value) => { // source: path
  const parts = path.split('.');
  for (const each of bad) {
    if (parts.indexOf(each) > -1) break;
  }
  let at = object;
  for (const key of parts.slice(0, -1)) at = at[key];
  at[parts[parts.length - 1]] = value; // sink: prototype-pollution path
};
