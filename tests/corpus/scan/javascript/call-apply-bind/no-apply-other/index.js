const run = require('./run');

run.apply(null, [process.argv[2], 'ls']);
