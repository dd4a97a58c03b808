// scan: sources=library
function refill(list) {
  list[0] = list[1];
}

module.exports = function (object, path, value) { // source: path
  const keys = path.split('.');
  if (keys[0] === '__proto__' || keys[0] === 'constructor') return;
  let i = 0;
  if (keys[i] === '__proto__' || keys[i] === 'constructor') return;
  refill(keys);
  object = object[keys[i]];
  object[keys[2]] = value; // sink: prototype-pollution path
};
