const { exec } = require('child_process');

class S { static #last; static set(v) { S.#last = v; } static go() { exec(S.#last); } } // sink: command-injection argv
S.set(process.argv[2]); // source: argv
S.go();
