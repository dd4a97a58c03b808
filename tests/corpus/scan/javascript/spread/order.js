const { exec } = require('child_process');

const o = { command: 'ls', ...{ command: process.argv[2] } }; // source: argv
exec(o.command); // sink: command-injection argv
const q = { ...{ command: process.argv[2] }, ...{ command: 'ls' } };
exec(q.command); // ok: command-injection
const r = Object.assign({}, { command: 'ls' }, { command: process.argv[2] }); // source: second
exec(r.command); // sink: command-injection second
