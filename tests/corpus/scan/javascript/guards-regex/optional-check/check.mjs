export function check(name, isStrict) {
  if (isStrict && !/^\w+$/.test(name)) throw new Error('name');
  return name;
}
