const { exec } = require('child_process');

class A {
  #run(v) { exec(v); } // sink: command-injection argv
  static go(a, v) { if (#run in a) a.#run(v); }
}
A.go(new A(), process.argv[2]); // source: argv
