const { exec } = require('child_process');

const table = {};
table[process.argv[2]] = 1; // source: argv
Object.keys(table).forEach((key) => exec(key)); // sink: command-injection argv
