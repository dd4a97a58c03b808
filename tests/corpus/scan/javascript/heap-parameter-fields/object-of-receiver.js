const { exec } = require('child_process');

class C { constructor() { this.o = {}; } set(v) { this.o.v = v; } get() { return this.o.v; } other() { return this.o.w; } }
const c = new C(); c.set(process.argv[2]); // source: argv
exec(c.get()); // sink: command-injection argv
exec(c.other()); // ok: command-injection
