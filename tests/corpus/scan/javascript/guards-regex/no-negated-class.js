const { exec } = require('child_process');

const name = process.argv[2];
if (/[^a-z0-9]/i.test(name)) throw new Error('bad name');
exec('ls ' + name); // ok: command-injection
