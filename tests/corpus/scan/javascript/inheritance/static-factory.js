const { exec } = require('child_process');

class A { static make(v) { return new this(v); } constructor(v) { this.v = v; } }
class B extends A { get() { return this.v; } }
exec(B.make(process.argv[2]).get()); // source: argv // sink: command-injection argv
exec(B.make('ls').get()); // ok: command-injection
