const { exec } = require('child_process');

function* g() { yield 'ls'; return process.argv[2]; }
for (const x of g()) exec(x); // ok: command-injection
exec([...g()][0]); // ok: command-injection
