const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
exec('test ' + (input > 'm') + ' ' + input.startsWith('a')); // ok: command-injection
