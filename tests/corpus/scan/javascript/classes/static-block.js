const { exec } = require('child_process');

class A { static command; static { A.command = process.argv[2]; } } // source: argv
exec(A.command); // sink: command-injection argv
class B { static #c = process.argv[2]; static d = 'ls'; }
exec(B.d); // ok: command-injection
