const { exec } = require('child_process');

const o = {};
let stored = 'ls';
Object.defineProperty(o, 'v', { get: () => stored, set: (x) => { } });
o.v = process.argv[2];
exec(o.v); // ok: command-injection
