const { exec } = require('child_process');

function inner(a, b) { exec(b); } // sink: command-injection argv
function outer() { return inner.apply(this, arguments); }
outer('ls', process.argv[2]); // source: argv
