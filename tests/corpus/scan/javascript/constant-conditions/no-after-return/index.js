const run = require('./run');

run(process.argv[2]);
