const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
exec('echo ' + typeof input + void input + delete {}.x); // ok: command-injection
