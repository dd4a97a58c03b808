const { exec } = require('child_process');
const set = new Set();
set.add('ls').add(process.argv[2]); // source: argv
set.forEach((item) => exec(item)); // sink: command-injection argv
for (const item of new Set(['ls'])) exec(item); // ok: command-injection
