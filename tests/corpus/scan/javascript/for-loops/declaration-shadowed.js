const { exec } = require('child_process');

for (let i = 0, x = process.argv[2]; i < 1; i++) exec(x); // source: argv // sink: command-injection argv
for (let i = 0, x = process.argv[2]; i < 1; i++) { let x = 'ls'; exec(x); } // ok: command-injection
