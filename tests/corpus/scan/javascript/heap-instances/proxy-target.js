const { exec } = require('child_process');

const p = new Proxy({ command: process.argv[2] }, {}); // source: argv
exec(p.command); // sink: command-injection argv
