const { exec } = require('child_process');

const name = process.argv[2]; // source: argv
if ([...name].some((letter) => /^[a-z]$/.test(letter))) exec(`ls ${name}`); // sink: command-injection argv
