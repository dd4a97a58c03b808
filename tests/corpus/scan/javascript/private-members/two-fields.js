const { exec } = require('child_process');

class S { #a; #b = 'ls'; constructor(v) { this.#a = v; } a() { return this.#a; } b() { return this.#b; } }
const s = new S(process.argv[2]); // source: argv
exec(s.a()); // sink: command-injection argv
exec(s.b()); // ok: command-injection
