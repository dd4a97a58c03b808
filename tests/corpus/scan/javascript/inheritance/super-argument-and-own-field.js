const { exec } = require('child_process');

class Base { constructor(v) { this.v = v; } }
class Child extends Base { constructor(v) { super('ls'); this.w = v; } }
exec(new Child(process.argv[2]).v); // ok: command-injection
exec(new Child(process.argv[2]).w); // source: argv // sink: command-injection argv
