// scan: sources=library
function isForbidden(key) {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

exports.set = function (object, path, value) {
  var keys = path.split('.');
  for (var i = 0; i < keys.length - 1; i++) {
    if (keys[i] === '__proto__' || keys[i] === 'constructor') return;
    if (!object[keys[i]]) object[keys[i]] = {};
    object = object[keys[i]];
  }
  object[keys[keys.length - 1]] = value; // ok: prototype-pollution
};

exports.put = function (object, path, value) {
  const keys = Array.isArray(path) ? path : path.split('.');
  for (let i = 0; i < keys.length; i++) {
    if (isForbidden(keys[i])) throw new Error('forbidden');
    if (i === keys.length - 1) object[keys[i]] = value; // ok: prototype-pollution
    else object = object[keys[i]] = object[keys[i]] || {};
  }
};

exports.own = function (object, path, value) {
  const keys = path.split('.');
  let at = object;
  for (let i = 0; i < keys.length; i++) {
    if (isForbidden(keys[i])) return object;
    if (i < keys.length - 1) {
      if (!Object.prototype.hasOwnProperty.call(at, keys[i])) at[keys[i]] = {};
      at = at[keys[i]];
    } else {
      at[keys[i]] = value; // ok: prototype-pollution
    }
  }
  return object;
};
