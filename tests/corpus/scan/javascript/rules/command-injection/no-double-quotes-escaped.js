// scan: sources=library
const { exec } = require('child_process');

function escaped(text) {
  return text.replace(/(["$`\\])/g, '\\$1');
}

exports.info = (file, done) => exec('identify "' + file.replace(/(["$`\\])/g, '\\$1') + '"', done); // ok: command-injection

exports.show = (file, done) => exec(`cat "${file.replace(/\\/g, '\\\\').replace(/["$`]/g, '\\$&')}"`, done); // ok: command-injection

exports.both = (file, done) => exec('stat "' + file.replace(/[\\"`$]/g, '\\$&') + '" ' + escaped('x').length, done); // ok: command-injection
