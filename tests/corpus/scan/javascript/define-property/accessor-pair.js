const { exec } = require('child_process');

const o = {};
let stored = 'ls';
Object.defineProperty(o, 'v', { get: () => stored, set: (x) => { stored = x; } });
o.v = process.argv[2]; // source: argv
exec(o.v); // sink: command-injection argv
