const { exec } = require('child_process');

const v = process.argv[2]; // source: argv
if (v === 'ls' || v === 'pwd') exec(v); // ok: command-injection
if (v !== 'ls' && v !== 'pwd') throw 1;
exec(v); // ok: command-injection
