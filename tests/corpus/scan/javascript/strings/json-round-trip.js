const { exec } = require('child_process');
const text = JSON.stringify({ command: process.argv[2] }); // source: argv
exec(JSON.parse(text).command); // sink: command-injection argv
