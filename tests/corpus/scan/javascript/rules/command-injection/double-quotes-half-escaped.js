// scan: sources=library
const { exec } = require('child_process');

function quotes(text) {
  return text.replace(/"/g, '\\"');
}

exports.only = (file, done) => exec('identify "' + quotes(file) + '"', done); // source: only // sink: command-injection only

exports.direct = (file, done) => exec('identify "' + file.replace(/"/g, '\\"') + '"', done); // source: direct // sink: command-injection direct

exports.order = (file, done) => // source: order
  exec('identify "' + file.replace(/["$`]/g, '\\$&').replace(/\\/g, '\\\\') + '"', done); // sink: command-injection order

exports.single = (file, done) => exec("identify '" + file.replace(/(["$`\\])/g, '\\$1') + "'", done); // source: single // sink: command-injection single
