const { exec } = require('child_process');

class A {}
Object.assign(A.prototype, { go(v) { exec(v); } }); // sink: command-injection argv
new A().go(process.argv[2]); // source: argv
