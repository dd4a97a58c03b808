const { exec } = require('child_process');

function make() { let v = 'ls'; return { set(x) { v = x; }, get: () => v }; }
const a = make(), b = make();
a.set(process.argv[2]); // source: argv
exec(a.get()); // sink: command-injection argv
