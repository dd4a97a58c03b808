// scan: sources=library
'use strict';

var FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

module.exports = function set(obj, path, value) {
  var keys = path.split('.');
  for (var j = 0; j < keys.length; j++) {
    if (FORBIDDEN.indexOf(keys[j]) !== -1) return obj;
  }
  var last = keys.pop();
  for (var i = 0; i < keys.length; i++) {
    var key = keys[i];
    if (typeof obj[key] !== 'object') obj[key] = {};
    obj = obj[key];
  }
  obj[last] = value;
};
