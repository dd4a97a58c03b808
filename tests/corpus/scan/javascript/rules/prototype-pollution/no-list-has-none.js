// scan: sources=library
const bad = ['__proto__', 'constructor', 'prototype'];

function follow(object, keys) {
  for (const key of keys) object = object[key] = object[key] || {};
  return object;
}

exports.includes = (object, path, value) => {
  const parts = path.split('.');
  if (parts.includes('__proto__') || parts.includes('constructor') || parts.includes('prototype')) return;
  let at = object;
  for (const key of parts.slice(0, -1)) at = at[key] = at[key] || {};
  at[parts[parts.length - 1]] = value; // ok: prototype-pollution
};

exports.indexOf = (object, path, value) => {
  const parts = path.split('.');
  if (parts.indexOf('__proto__') !== -1 || parts.indexOf('constructor') > -1) throw new Error('forbidden');
  while (parts.length > 1) {
    const key = parts.shift();
    object = object[key] = object[key] || {};
  }
  object[parts[0]] = value; // ok: prototype-pollution
};

exports.tilde = (object, path, value) => {
  const parts = path.split('.');
  if (~parts.indexOf('__proto__') || parts.indexOf('constructor') >= 0) return;
  const last = parts.pop();
  parts.forEach((key) => { object = object[key]; });
  object[last] = value; // ok: prototype-pollution
};

exports.some = (object, path, value) => {
  const parts = path.split('.');
  if (bad.some((each) => parts.includes(each))) throw new Error('forbidden');
  let at = object;
  for (let i = 0; i < parts.length - 1; i++) at = at[parts[i]];
  at[parts[parts.length - 1]] = value; // ok: prototype-pollution
};

exports.every = (object, path, value) => {
  const parts = path.split('.');
  if (!bad.every((each) => parts.indexOf(each) === -1)) throw new Error('forbidden');
  let at = object;
  for (let i = 0; i < parts.length - 1; i++) at = at[parts[i]];
  at[parts[parts.length - 1]] = value; // ok: prototype-pollution
};

exports.text = (object, path, value) => {
  if (bad.some((each) => path.includes(each))) throw new Error('forbidden');
  const parts = path.split('.');
  const last = parts.pop();
  follow(object, parts)[last] = value; // ok: prototype-pollution
};

exports.find = (object, path, value) => {
  const parts = path.split('.');
  if (parts.find((key) => key === '__proto__' || key === 'constructor')) return;
  const last = parts.pop();
  let at = object;
  for (const key of parts) at = at[key];
  at[last] = value; // ok: prototype-pollution
};

exports.findIndex = (object, path, value) => {
  const parts = path.split('.');
  if (parts.findIndex((key) => bad.includes(key)) !== -1) return;
  const last = parts.pop();
  let at = object;
  for (const key of parts) at = at[key];
  at[last] = value; // ok: prototype-pollution
};

exports.concat = (object, path, last, value) => {
  const keys = path.split('.');
  if (keys.concat(last).some((key) => bad.includes(key))) return;
  let at = object;
  for (const key of keys) at = at[key];
  at[last] = value; // ok: prototype-pollution
};

exports.literal = (object, group, name, value) => {
  if ([group, name].some((key) => bad.includes(key))) return;
  object[group][name] = value; // ok: prototype-pollution
};
