const { exec } = require('child_process');
const key = 'com' + 'mand';
const table = { [key]: process.argv[2], other: 'ls' }; // source: argv
exec(table['command']); // sink: command-injection argv
exec(table.other); // ok: command-injection
