const { exec } = require('child_process');

const table = { a: 'ls', b: 'pwd' };
exec(table[process.argv[2]] || 'ls'); // ok: command-injection
exec(table[process.argv[2]] || process.argv[2]); // source: argv // sink: command-injection argv
