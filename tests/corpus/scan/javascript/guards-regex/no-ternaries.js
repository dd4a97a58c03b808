const { exec } = require('child_process');

const v = process.argv[2];
exec(/^\w+$/.test(v) ? v : 'ls'); // ok: command-injection
exec(['ls', 'pwd'].includes(v) ? v : 'ls'); // ok: command-injection
exec(v === 'pwd' ? v : 'ls'); // ok: command-injection
