const { exec } = require('child_process');

function run(a) { return 'ls'; }
const bound = run.bind(null, process.argv[2]);
exec(bound()); // ok: command-injection
setTimeout(bound, 1); // ok: code-injection
