// scan: sources=library
var isPlain = function (o) {
  return o && o.constructor === Object;
};

var mixin = exports.mixin = function (dest) {
  var sources = Array.prototype.slice.call(arguments, 1);
  sources.forEach(function (src) {
    Object.keys(src || {}).forEach(function (key) {
      if (!Object.prototype.hasOwnProperty.call(dest, key)) {
        Object.defineProperty(dest, key, { value: src[key], writable: true, enumerable: true, configurable: true });
      } else if (isPlain(src[key]) && isPlain(dest[key])) {
        mixin(dest[key], src[key]);
      } else {
        dest[key] = src[key];
      }
    });
  });
  return dest;
};
