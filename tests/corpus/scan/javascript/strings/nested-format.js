const { exec } = require('child_process');
const util = require('util');

exec(util.format('run %j', { a: { b: process.argv[2] } })); // source: argv // sink: command-injection argv
