const { exec } = require('child_process');

exec(process.argv[2] ? 'ls' : 'pwd'); // ok: command-injection
