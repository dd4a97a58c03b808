const { exec } = require('child_process');
const curry = (f) => (a) => (b) => f(a, b);
const run = curry((a, b) => exec(a + b)); // sink: command-injection argv
run('ls ')(process.argv[2]); // source: argv
