// scan: sources=library
const fs = require('fs');
const { execSync } = require('child_process');

exports.watcher = fs.watch('build', function (kind, file) {
  execSync('touch ' + file); // ok: command-injection
});
