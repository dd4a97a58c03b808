const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
exec('ls '.concat(input.toLowerCase().padEnd(20).replace(/a/g, 'b'))); // sink: command-injection argv
