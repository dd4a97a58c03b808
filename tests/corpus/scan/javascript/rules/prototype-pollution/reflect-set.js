// scan: sources=library
function put(target, keys, value) {
  const [key, ...rest] = keys;
  if (rest.length === 0) {
    Reflect.set(target, key, value); // sink: prototype-pollution path
    return;
  }
  put(Reflect.get(target, key), rest, value);
}

exports.set = (target, path, value) => put(target, path.split('.'), value); // source: path
