// scan: sources=library
'use strict';
var fs = require('fs');
var path = require('path');

function Store(dir) {
  this.dir = dir;
}

Store.prototype.file = function (key) {
  return path.join(this.dir, key + '.json');
};

Store.prototype.get = function (key, cb) { // source: a
  fs.readFile(this.file(key), 'utf8', function (err, text) { // sink: path-traversal
    if (err) return cb(err);
    cb(null, JSON.parse(text));
  });
};

module.exports = Store;
