export function constant(object, name, value) {
  Object.defineProperty(object, name, { value, writable: false });
}
