// scan: sources=library
const R = require('ramda');
const { exec } = require('child_process');

exports.run = R.curry(function (folder, file) { // source: file
  exec('cat ' + file); // sink: command-injection file
});
