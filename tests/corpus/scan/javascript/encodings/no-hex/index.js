const { exec } = require('child_process');
const fs = require('fs');
const { nameOf } = require('./names');

exec('echo ' + nameOf(process.argv[2])); // ok: command-injection
fs.unlinkSync('cache/' + nameOf(process.argv[2])); // ok: path-traversal
