const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
exec('echo ' + input.charCodeAt(0) + input.indexOf('a') + input.length); // ok: command-injection
