const { exec } = require('child_process');

const table = new Map([['tool', process.argv[2]]]); // source: argv
for (const [key, value] of table) exec(value); // sink: command-injection argv
