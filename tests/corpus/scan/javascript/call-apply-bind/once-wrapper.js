const { exec } = require('child_process');
function once(f) { let called = false; return function (...args) { if (!called) { called = true; return f.apply(this, args); } }; }
const run = once((command) => exec(command)); // sink: command-injection argv
run(process.argv[2]); // source: argv
