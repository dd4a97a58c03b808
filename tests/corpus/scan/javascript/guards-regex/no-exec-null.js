const { exec } = require('child_process');

const name = process.argv[2];
if (/^[a-z]+$/.exec(name) === null) process.exit(1);
else exec('ls ' + name); // ok: command-injection
