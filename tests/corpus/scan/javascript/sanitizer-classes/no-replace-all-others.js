const { exec } = require('child_process');

const name = process.argv[2].replace(/[^a-z0-9]/gi, '');
exec('ls ' + name); // ok: command-injection
