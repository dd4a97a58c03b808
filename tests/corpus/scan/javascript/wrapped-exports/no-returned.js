// scan: sources=library
const walk = require('walk-folders');
const { exec } = require('child_process');

exports.clean = function () {
  return walk(function (file) {
    exec('rm ' + file); // ok: command-injection
  });
};
