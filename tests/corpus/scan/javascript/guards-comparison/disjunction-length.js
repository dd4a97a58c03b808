const { exec } = require('child_process');

const v = process.argv[2]; // source: argv
if (v === 'ls' || v.length > 3) exec(v); // sink: command-injection argv
