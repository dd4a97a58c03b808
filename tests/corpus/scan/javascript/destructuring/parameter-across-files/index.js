const run = require('./run');

run({ command: process.argv[2], cwd: '/tmp' }); // source: argv
