// scan: sources=library
exports.pushed = (object, path, more, value) => { // source: more
  const parts = path.split('.');
  if (parts.includes('__proto__') || parts.includes('constructor')) return;
  parts.push(more);
  let at = object;
  for (const key of parts) at = at[key];
  at[more] = value; // sink: prototype-pollution more
};

exports.stored = (object, path, more, value) => { // source: stored
  const parts = path.split('.');
  if (parts.includes('__proto__') || parts.includes('constructor')) return;
  parts[0] = more;
  let at = object;
  for (const key of parts) at = at[key];
  at[more] = value; // sink: prototype-pollution stored
};
