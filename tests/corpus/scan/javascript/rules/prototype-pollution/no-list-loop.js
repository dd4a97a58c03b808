// scan: sources=library
const bad = ['__proto__', 'constructor', 'prototype'];

function check(parts) {
  for (const each of bad) {
    if (parts.indexOf(each) > -1) throw new Error('forbidden');
  }
}

exports.loop = (object, path, value) => {
  const parts = path.split('.');
  for (const each of bad) if (parts.indexOf(each) > -1) throw new Error('forbidden');
  let at = object;
  for (const key of parts.slice(0, -1)) at = at[key];
  at[parts[parts.length - 1]] = value; // ok: prototype-pollution
};

exports.called = (object, path, value) => {
  const parts = path.split('.');
  check(parts);
  let at = object;
  for (const key of parts.slice(0, -1)) at = at[key];
  at[parts[parts.length - 1]] = value; // ok: prototype-pollution
};

exports.text = (object, path, value) => {
  for (let i = 0; i < bad.length; i++) {
    if (path.includes(bad[i])) return;
  }
  const parts = path.split('.');
  let at = object;
  for (const key of parts.slice(0, -1)) at = at[key];
  at[parts[parts.length - 1]] = value; // ok: prototype-pollution
};

exports.keys = (object, group, name, value) => {
  for (const each of bad) {
    if (group === each || name === each) return;
  }
  object[group][name] = value; // ok: prototype-pollution
};
