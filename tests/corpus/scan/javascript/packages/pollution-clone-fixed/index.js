// scan: sources=library
var clone = function (input) {
  return copyInto({}, input);
};

function copyInto(base, extra) {
  if (typeOf(extra) !== 'object') return extra;
  for (var key in extra) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') continue;
    if (typeOf(base[key]) === 'object' && typeOf(extra[key]) === 'object') {
      base[key] = copyInto(base[key], extra[key]);
    } else {
      base[key] = extra[key];
    }
  }
  return base;
}

function typeOf(input) {
  return ({}).toString.call(input).slice(8, -1).toLowerCase();
}

module.exports = clone;
module.exports.recursive = function () {
  var out = {};
  for (var i = 0; i < arguments.length; i++) out = copyInto(out, arguments[i]);
  return out;
};
