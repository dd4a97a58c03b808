// scan: sources=library
exports.merge = function merge() {
  var result = arguments[0];
  for (var i = 1, l = arguments.length; i < l; i++) {
    var obj = arguments[i];
    Object.getOwnPropertyNames(obj).forEach(function (name) {
      if (['constructor', 'prototype', '__proto__'].indexOf(name) !== -1) return;
      var a = result[name], b = obj[name];
      result[name] = isObject(a) && isObject(b) ? merge(a, b) : b;
    });
  }
  return result;
};

function isObject(x) {
  return Object(x) === x;
}
