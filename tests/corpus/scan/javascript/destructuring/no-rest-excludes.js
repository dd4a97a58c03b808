const { exec } = require('child_process');
const { a, ...rest } = { a: process.argv[2], b: 'ls' };
exec(rest.b); // ok: command-injection
exec(rest.a); // ok: command-injection
