// scan: sources=library
const { names } = require('known-names');
const { exec } = require('child_process');

exports.lists = names.map(function (name) {
  return exec('ls ' + name); // ok: command-injection
});
