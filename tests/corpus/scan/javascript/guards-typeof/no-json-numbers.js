const { exec } = require('child_process');

const v = JSON.parse(process.argv[2]);
if (typeof v.count === 'number') exec('head -n ' + v.count); // ok: command-injection
if (Number.isInteger(v.n)) exec('head -n ' + v.n); // ok: command-injection
if (!Number.isFinite(v.m)) throw 1;
exec('head -n ' + v.m); // ok: command-injection
