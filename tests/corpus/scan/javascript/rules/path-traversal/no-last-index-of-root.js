// scan: sources=library
const fs = require('fs');
const path = require('path');
const root = path.join(__dirname, 'public');

function open(file, done) {
  fs.readFile(file, done); // ok: path-traversal
}

exports.read = function (name, done) {
  const file = path.join(root, name);
  if (file.lastIndexOf(root, 0) !== 0) return done(new Error('outside'));
  open(file, done);
};

exports.find = function (name, done) {
  const file = path.join(root, name);
  if (file.lastIndexOf(root, 0) === -1) return done(new Error('outside'));
  open(file, done);
};
