const { exec } = require('child_process');

const o = { _v: 'ls', get v() { return this._v; }, set v(x) { this._v = x; } };
o.v = process.argv[2]; // source: argv
exec(o.v); // sink: command-injection argv
const p = { _v: 'ls', get v() { return this._v; }, set v(x) { this._v = 'pwd'; } };
p.v = process.argv[2];
exec(p.v); // ok: command-injection
