// scan: sources=library
'use strict';
var fs = require('fs');
var path = require('path');

function Store() {
  this.dir = path.join(__dirname, 'data');
}

Store.prototype.file = function (key) {
  return path.join(this.dir, path.basename(key) + '.json');
};

Store.prototype.get = function (key, cb) {
  fs.readFile(this.file(key), 'utf8', function (err, text) {
    if (err) return cb(err);
    cb(null, JSON.parse(text));
  });
};

module.exports = Store;
