// scan: sources=library
"use strict";

Object.defineProperty(exports, "__esModule", {
  value: true
});
exports["default"] = defaultsDeep;

function _typeof(obj) { "@babel/helpers - typeof"; return _typeof = "function" == typeof Symbol && "symbol" == typeof Symbol.iterator ? function (obj) { return typeof obj; } : function (obj) { return obj && "function" == typeof Symbol && obj.constructor === Symbol && obj !== Symbol.prototype ? "symbol" : typeof obj; }, _typeof(obj); }

function defaultsDeep(target) {
  for (var _len = arguments.length, sources = new Array(_len > 1 ? _len - 1 : 0), _key = 1; _key < _len; _key++) {
    sources[_key - 1] = arguments[_key];
  }

  sources.forEach(function (source) {
    for (var prop in source) {
      if (!Object.prototype.hasOwnProperty.call(target, prop)) {
        if (prop !== '__proto__' && prop !== 'constructor') target[prop] = source[prop];
      } else if (_typeof(source[prop]) === 'object' && _typeof(target[prop]) === 'object') {
        defaultsDeep(target[prop], source[prop]);
      }
    }
  });
  return target;
}
