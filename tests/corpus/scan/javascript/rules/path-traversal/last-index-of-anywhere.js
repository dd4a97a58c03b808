// scan: sources=library
const fs = require('fs');
const path = require('path');
const root = path.join(__dirname, 'public');

function open(file, done) {
  fs.readFile(file, done); // sink: path-traversal name
}

exports.read = function (name, done) { // source: name
  const file = path.join(root, name);
  if (file.lastIndexOf(root) === -1) return done(new Error('outside'));
  open(file, done);
};
