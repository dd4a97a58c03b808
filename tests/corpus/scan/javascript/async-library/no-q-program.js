// scan: sources=library
const Q = require('q');
const cp = require('child_process');

exports.remove = (file) => Q.nfcall(cp.execFile, 'rm', [file]); // ok: command-injection
exports.status = (file, done) => Q.ninvoke(cp, 'exec', 'git status').then(() => done(file)); // ok: command-injection
