const { exec } = require('child_process');

const table = new Map();
table.set('tool', process.argv[2]); // source: argv
table.forEach((value, key) => exec(value)); // sink: command-injection argv
