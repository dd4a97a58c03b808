const { exec } = require('child_process');
const { same } = require('./same');

const input = process.argv[2]; // source: argv
if (same(input, input.trim())) exec(input); // sink: command-injection argv
