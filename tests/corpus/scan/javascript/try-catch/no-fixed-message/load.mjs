export function load(name) {
  if (name.length > 10) throw new RangeError('too long');
  return name;
}
