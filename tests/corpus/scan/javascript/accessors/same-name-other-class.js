const { exec } = require('child_process');

class A { get x() { return process.argv[2]; } } // source: argv
exec(new A().x); // sink: command-injection argv
class B { get x() { return 'ls'; } }
exec(new B().x); // ok: command-injection
