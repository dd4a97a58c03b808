const { exec } = require('child_process');

exec('ls', { cwd: process.argv[2] }); // ok: command-injection
