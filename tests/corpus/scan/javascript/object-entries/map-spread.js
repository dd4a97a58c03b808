const { exec } = require('child_process');

const table = new Map();
table.set(process.argv[2], 1); // source: argv
exec([...table.keys()].join(' ')); // sink: command-injection argv
