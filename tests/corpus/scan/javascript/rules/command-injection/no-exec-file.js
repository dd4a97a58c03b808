const { execFile } = require('child_process');

execFile('ls', ['--', process.argv[2]]); // ok: command-injection
