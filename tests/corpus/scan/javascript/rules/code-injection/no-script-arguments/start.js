const { spawn, execFile } = require('child_process');

exports.start = (words) => spawn('node', ['server.js', ...words], { stdio: 'inherit' }); // ok: code-injection
exports.check = (name) => execFile('python3', ['check.py', '--name=' + name]); // ok: code-injection
