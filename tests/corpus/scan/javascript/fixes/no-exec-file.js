// scan: sources=library
const { execFile } = require('child_process');

module.exports = function convert(file, options, done) {
  execFile('convert', [file, 'out.png'], done); // ok: command-injection
};
