// scan: sources=library
var isPlain = function (o) {
  return o && o.constructor === Object;
};

var mixin = exports.mixin = function (dest) {
  var sources = Array.prototype.slice.call(arguments, 1);
  sources.forEach(function (src) {
    Object.keys(src || {}).forEach(function (key) {
      if (isPlain(src[key]) && isPlain(dest[key])) {
        mixin(dest[key], src[key]);
      } else {
        dest[key] = src[key]; // sink: prototype-pollution
      }
    });
  });
  return dest;
};
