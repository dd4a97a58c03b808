const { exec } = require('child_process');
const { parse } = require('./parse');

const { line } = parse(process.argv[2]); // source: argv
exec(line); // sink: command-injection argv
