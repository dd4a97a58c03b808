const run = require('./run');

run({ one: 'ls', two: process.argv[2] }); // source: argv
