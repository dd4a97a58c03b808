const run = require('./run');

run({ title: process.argv[2], command: 'ls' });
