const { exec } = require('child_process');
const pipeline = [(x) => x.trim(), (x) => 'ls ' + x, exec];
let value = process.argv[2]; // source: argv
for (const step of pipeline) value = step(value); // sink: command-injection argv
