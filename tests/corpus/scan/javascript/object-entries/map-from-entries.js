const { exec } = require('child_process');

const table = new Map(Object.entries({ tool: process.argv[2] })); // source: argv
exec(table.get('tool')); // sink: command-injection argv
