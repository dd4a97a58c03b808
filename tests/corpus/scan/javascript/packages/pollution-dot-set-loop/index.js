// scan: sources=library
'use strict';

module.exports = function set(obj, path, value) { // source: a
  var keys = path.split('.');
  var last = keys.pop();
  for (var i = 0; i < keys.length; i++) {
    var key = keys[i];
    if (typeof obj[key] !== 'object') obj[key] = {};
    obj = obj[key];
  }
  obj[last] = value; // sink: prototype-pollution a
};
