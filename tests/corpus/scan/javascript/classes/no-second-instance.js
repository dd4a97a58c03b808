const { exec } = require('child_process');
class A { constructor(x) { this.x = x; } }
const tainted = new A(process.argv[2]);
const clean = new A('ls');
exec(clean.x); // ok: command-injection
