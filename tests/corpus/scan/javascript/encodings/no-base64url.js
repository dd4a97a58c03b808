const { exec } = require('child_process');
const fs = require('fs');

exec('echo ' + Buffer.from(process.argv[2]).toString('base64url')); // ok: command-injection
fs.unlinkSync('cache/' + Buffer.from(process.argv[2]).toString('base64url')); // ok: path-traversal
