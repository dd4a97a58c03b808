// scan: sources=library
const { execFile } = require('child_process');

exports.list = (directory, callback) => {
  execFile('ls', ['--', directory], callback); // ok: command-injection
};
