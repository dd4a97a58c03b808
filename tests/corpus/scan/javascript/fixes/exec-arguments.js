// scan: sources=library
const { exec } = require('child_process');

module.exports = function convert(file, options, done) { // source: file
  exec('convert ' + file + ' out.png', done); // sink: command-injection file
};
