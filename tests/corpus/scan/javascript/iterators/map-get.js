const { exec } = require('child_process');

const table = new Map();
table.set('command', process.argv[2]); // source: argv
exec(table.get('command')); // sink: command-injection argv
