const { exec } = require('child_process');

exec('run ' + JSON.stringify({ a: { b: process.argv[2] } })); // source: argv // sink: command-injection argv
