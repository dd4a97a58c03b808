const { exec } = require('child_process');

const isSafe = (name) => /^[a-z]+$/.test(name);

const input = process.argv[2]; // source: argv
if (isSafe(process.argv[3])) exec(input); // sink: command-injection argv
