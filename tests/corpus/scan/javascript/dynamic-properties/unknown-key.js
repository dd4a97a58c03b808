const { exec } = require('child_process');

const table = { list: 'ls', other: process.argv[2] }; // source: argv
const key = process.argv.length > 3 ? 'list' : 'other';
exec(table[key]); // sink: command-injection argv
