// scan: sources=library
const thunkify = require('thunkify');
const exec = thunkify(require('child_process').exec);

exports.remove = function (file, done) { // source: file
  exec('rm ' + file)(done); // sink: command-injection file
};
