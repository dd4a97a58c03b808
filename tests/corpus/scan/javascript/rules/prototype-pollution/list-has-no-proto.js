// scan: sources=library
const reserved = ['toString', 'valueOf'];

exports.set = (object, path, value) => { // source: path
  const parts = path.split('.');
  if (reserved.some((each) => parts.includes(each))) return;
  let at = object;
  for (let i = 0; i < parts.length - 1; i++) at = at[parts[i]];
  at[parts[parts.length - 1]] = value; // sink: prototype-pollution path
};

exports.proto = (object, path, value) => { // source: second
  const parts = path.split('.');
  if (parts.includes('__proto__')) return;
  let at = object;
  for (let i = 0; i < parts.length - 1; i++) at = at[parts[i]];
  at[parts[parts.length - 1]] = value; // sink: prototype-pollution second
};

exports.key = (object, group, name, value) => { // source: group
  if (reserved.includes(group)) return;
  object[group][name] = value; // sink: prototype-pollution group
};
