const { exec } = require('child_process');

const m = new Map();
m.set('a', { v: process.argv[2], w: 'ls' }); // source: argv
exec(m.get('a').w); // ok: command-injection
exec(m.get('a').v); // sink: command-injection argv
