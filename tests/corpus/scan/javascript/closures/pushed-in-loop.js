const { exec } = require('child_process');
const fns = [];
for (let i = 0; i < 2; i++) fns.push(() => process.argv[i]); // source: argv
exec(fns[0]()); // sink: command-injection argv
